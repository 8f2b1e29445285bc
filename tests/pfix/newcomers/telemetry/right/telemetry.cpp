// SPDX-License-Identifier: Apache-2.0
#include "telemetry.h"

void Telemetry::flush()
{
    std::lock_guard<std::mutex> lock(mutex_);
    flush_locked();
}

void Telemetry::flush_locked()
{
    if (buffer_.empty())
        return;
    sink_.write(buffer_);
    buffer_.clear();
}

void Telemetry::push(const Sample &sample)
{
    std::lock_guard<std::mutex> lock(mutex_);
    if (sample.sensor < 0) {
        dropped_++;
        return;
    }
    if (is_full())
        flush_locked();
    buffer_.push_back(sample);
}

void Telemetry::push_all(const std::vector<Sample> &samples)
{
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Sample &s : samples) {
        if (s.sensor < 0) {
            dropped_++;
            continue;
        }
        if (is_full())
            flush_locked();
        buffer_.push_back(s);
    }
}

std::size_t Telemetry::dropped() const
{
    std::lock_guard<std::mutex> lock(mutex_);
    return dropped_;
}
