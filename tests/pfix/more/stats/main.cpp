// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
//~ with: stats.cpp
// Three threads measure. Whoever asks for a figure locks, but whoever adds one does not.
#include "stats.hpp"

#include <cstdio>
#include <thread>
#include <vector>

namespace {
const int measurers = 3, each = 4;
Stats stats;

void measure()
{
    for (int i = 0; i < each; i++)
        stats.add(10);
}
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < measurers; i++)
        threads.emplace_back(measure);
    for (auto &t : threads)
        t.join();
    std::printf("%ld in %ld\n", stats.sum(), stats.count());
    return stats.count() == measurers * each && stats.sum() == 10L * measurers * each ? 0 : 1;
}
