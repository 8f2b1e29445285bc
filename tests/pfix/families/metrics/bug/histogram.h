// SPDX-License-Identifier: Apache-2.0
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "lock.h"

class Histogram
{
  public:
    void record(int value);
    int count();
    int sum();
    int mean(); // 0 if nothing was recorded

  private:
    Lock lock;
    int n = 0;
    int total = 0;
};

#endif
