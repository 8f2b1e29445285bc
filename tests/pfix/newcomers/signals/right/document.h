// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "signal.h"

#include <atomic>
#include <string>

class Document
{
  public:
    void edit(const std::string &text);
    std::size_t length() const;

    Signal<std::string> changed;

  private:
    mutable std::mutex mutex_;
    std::string text_;
};

// Counts what it is told; connected as long as it lives.
class Watcher
{
  public:
    explicit Watcher(std::atomic<int> &heard) : heard_(heard) {}

    void watch(Document &document);
    void leave(Document &document);

  private:
    std::atomic<int> &heard_;
    int id_ = 0;
};
