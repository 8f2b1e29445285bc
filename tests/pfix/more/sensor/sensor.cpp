// SPDX-License-Identifier: Apache-2.0
#include "sensor.hpp"

void Sensor::report(int value)
{
    if (value < low_)
        low_ = value;
    if (value > high_)
        high_ = value;
    reports_++;
}

int Sensor::range() const
{
    return high_ - low_;
}

int Sensor::reports() const
{
    return reports_;
}
