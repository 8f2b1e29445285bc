// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
// Two consumers empty a queue: each looks whether something is in it and then takes it. Both
// steps are locked, and between them somebody else may take the last one.
#include "queue.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {
Queue queue;
std::atomic<int> taken{0};

void consume()
{
    while (!queue.empty()) {
        int value = queue.pop();
        taken += value;
    }
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
