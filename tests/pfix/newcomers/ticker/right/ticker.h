// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker.h"

// Counts ticks on a worker's thread.
class Ticker
{
  public:
    void tick(int n);
    void stop()
    {
        worker_.stop();
    }
    int ticks() const
    {
        return ticks_;
    }

  private:
    int ticks_ = 0;
    Worker worker_;
};
