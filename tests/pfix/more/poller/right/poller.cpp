// SPDX-License-Identifier: Apache-2.0
#include "poller.hpp"

Poller::Poller(int channels)
{
    levels_.resize(channels);
    for (int i = 0; i < channels; i++)
        levels_[i] = i + 1;
    thread_ = std::thread(&Poller::run, this);
}

Poller::~Poller()
{
    finish();
}

void Poller::finish()
{
    if (thread_.joinable())
        thread_.join();
}

void Poller::run()
{
    int sum = 0;
    for (int level : levels_)
        sum += level;
    sum_ = sum;
}
