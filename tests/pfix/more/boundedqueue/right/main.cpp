// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// Mended by hand: looking and taking are one step.
#include "queue.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {
Queue queue;
std::atomic<int> taken{0};

void consume()
{
    int value;
    while (queue.pop(value))
        taken += value;
}
}

int main()
{
    for (int i = 0; i < 4; i++)
        queue.push(1);
    std::thread first(consume), second(consume);
    first.join();
    second.join();
    std::printf("%d\n", taken.load());
    return taken == 4 ? 0 : 1;
}
