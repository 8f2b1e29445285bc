// SPDX-License-Identifier: Apache-2.0
#include "sensor.hpp"

void Sensor::report(int value)
{
    std::lock_guard<std::mutex> hold(lock_);
    if (value < low_)
        low_ = value;
    if (value > high_)
        high_ = value;
    reports_++;
}

int Sensor::range() const
{
    std::lock_guard<std::mutex> hold(lock_);
    return high_ - low_;
}

int Sensor::reports() const
{
    std::lock_guard<std::mutex> hold(lock_);
    return reports_;
}
