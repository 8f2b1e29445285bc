// SPDX-License-Identifier: Apache-2.0
#include "tickets.hpp"

#include <cstdio>
#include <thread>
#include <vector>

static void sell(box_office::Tickets &tickets, std::vector<int> &sold)
{
    for (int t = tickets.take(); t >= 0; t = tickets.take())
        sold.push_back(t);
}

int main()
{
    box_office::Tickets tickets(3);
    std::vector<int> left, right;
    left.reserve(8);
    right.reserve(8);
    std::thread one(sell, std::ref(tickets), std::ref(left));
    std::thread two(sell, std::ref(tickets), std::ref(right));
    one.join();
    two.join();
    if (left.size() + right.size() != 3 || tickets.sold() != 3) {
        std::fprintf(stderr, "%zu tickets for 3 seats\n", left.size() + right.size());
        return 1;
    }
    return 0;
}
