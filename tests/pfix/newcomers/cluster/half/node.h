// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// Keeps keys; tells somebody when it has no room left.
class Node
{
  public:
    using OnFull = std::function<void(Node &)>;

    Node(std::string name, std::size_t room) : name_(std::move(name)), room_(room) {}

    void on_full(OnFull f)
    {
        on_full_ = std::move(f);
    }

    bool add(int key);
    void shrink(std::size_t room);
    std::size_t load() const;
    std::vector<int> take_half();

    const std::string &name() const
    {
        return name_;
    }

  private:
    const std::string name_;
    mutable std::mutex mutex_;
    std::size_t room_;
    std::vector<int> keys_;
    OnFull on_full_;
};
