// SPDX-License-Identifier: Apache-2.0
// A queue of numbers for several threads.
#pragma once

#include <cstdlib>
#include <mutex>

class Queue {
  public:
    bool push(int value)
    {
        std::lock_guard<std::mutex> hold(lock_);
        if (used_ == room)
            return false;
        values_[(first_ + used_++) % room] = value;
        return true;
    }

    bool empty()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return used_ == 0;
    }

    /* False: it is empty. */
    bool pop(int &value)
    {
        std::lock_guard<std::mutex> hold(lock_);
        if (used_ == 0)
            return false;
        value = values_[first_];
        first_ = (first_ + 1) % room;
        used_--;
        return true;
    }

  private:
    static const int room = 8;
    std::mutex lock_;
    int values_[room];
    int first_ = 0, used_ = 0;
};
