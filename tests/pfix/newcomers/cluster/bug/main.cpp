// SPDX-License-Identifier: Apache-2.0
#include "cluster.h"

#include <cstdio>
#include <thread>

int main()
{
    Cluster cluster;
    Node &east = cluster.join("east", 2);
    Node &west = cluster.join("west", 4);
    west.add(100);

    std::thread writer([&] {
        east.add(1);
        east.add(2);
    });
    std::thread operator_([&] { west.shrink(1); });
    std::thread balancer([&] { cluster.rebalance(); });
    writer.join();
    operator_.join();
    balancer.join();

    std::size_t reports = cluster.full_reports();
    std::size_t total = cluster.total();
    if (reports < 2 || total < 2 || total > 3) {
        std::fprintf(stderr, "%zu reports, %zu keys\n", reports, total);
        return 1;
    }
    return 0;
}
