// SPDX-License-Identifier: Apache-2.0
// Sum and count of what was measured; they belong together.
#pragma once

#include <mutex>

class Stats {
  public:
    void add(long value);
    double mean() const;
    long sum() const;
    long count() const;

  private:
    mutable std::mutex lock_;
    long sum_ = 0;
    long count_ = 0;
};
