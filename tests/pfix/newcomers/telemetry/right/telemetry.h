// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

struct Sample {
    int sensor;
    int value;
};

// Where samples go in the end.
class Sink
{
  public:
    virtual ~Sink() = default;
    virtual void write(const std::vector<Sample> &samples) = 0;
};

// Collects samples and hands them on by the dozen.
class Telemetry
{
  public:
    Telemetry(Sink &sink, std::size_t room) : sink_(sink), room_(room) {}

    void push(const Sample &sample);
    void push_all(const std::vector<Sample> &samples);
    void flush();
    std::size_t dropped() const;

  private:
    void flush_locked();
    bool is_full() const
    {
        return buffer_.size() >= room_;
    }

    Sink &sink_;
    const std::size_t room_;
    mutable std::mutex mutex_;
    std::vector<Sample> buffer_;
    std::size_t dropped_ = 0;
};
