// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>

template <class Item>
class WorkSet {
 public:
  bool has(const Item& item) const {
    std::lock_guard<std::mutex> hold(mu_);
    return items_.count(item) != 0;
  }

  void add(const Item& item) {
    std::lock_guard<std::mutex> hold(mu_);
    items_.insert(item);
  }

  /// True if the item was nobody's yet.
  bool claim(const Item& item) {
    if (has(item)) return false;
    add(item);
    return has(item);
  }

 private:
  mutable std::mutex mu_;
  std::set<Item> items_;
};
