// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace box_office
{

class Tickets
{
public:
    explicit Tickets(int count) : count_(count) {}

    /** The number of the ticket, or -1. */
    int take()
    {
        int ticket = next_.load();
        if (ticket >= count_)
            return -1;
        next_.store(ticket + 1);
        return ticket;
    }

    int sold() const { return next_.load(); }

private:
    const int count_;
    std::atomic<int> next_{0};
};

} // namespace box_office
