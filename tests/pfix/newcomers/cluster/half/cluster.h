// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

class Cluster
{
  public:
    Node &join(const std::string &name, std::size_t room);
    void rebalance();
    std::size_t full_reports() const;
    std::size_t total() const;

  private:
    void report_full(Node &node);

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::string> full_;
};
