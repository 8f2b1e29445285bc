// SPDX-License-Identifier: Apache-2.0
#include "stats.hpp"

void Stats::add(long value)
{
    std::lock_guard<std::mutex> hold(lock_);
    sum_ += value;
    count_++;
}

double Stats::mean() const
{
    std::lock_guard<std::mutex> hold(lock_);
    return count_ ? double(sum_) / double(count_) : 0;
}

long Stats::sum() const
{
    std::lock_guard<std::mutex> hold(lock_);
    return sum_;
}

long Stats::count() const
{
    std::lock_guard<std::mutex> hold(lock_);
    return count_;
}
