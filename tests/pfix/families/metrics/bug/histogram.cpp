// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

void Histogram::record(int value)
{
    {
        ScopedLock guard(lock);
        n++;
    }
    ScopedLock guard(lock);
    total += value;
}

int Histogram::count()
{
    ScopedLock guard(lock);
    return n;
}

int Histogram::sum()
{
    ScopedLock guard(lock);
    return total;
}

int Histogram::mean()
{
    int values = count();
    return values == 0 ? 0 : sum() / values;
}
