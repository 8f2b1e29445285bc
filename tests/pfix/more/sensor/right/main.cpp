// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: sensor.cpp
// Two sensors hear from three threads. The class has a lock.
#include "sensor.hpp"

#include <cstdio>
#include <thread>
#include <vector>

namespace {
Sensor inside("inside"), outside("outside");

void watch(int base)
{
    inside.report(base);
    outside.report(base * 2);
}
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 1; i <= 3; i++)
        threads.emplace_back(watch, i);
    for (auto &t : threads)
        t.join();
    for (const Sensor *s : {&inside, &outside})
        std::printf("%s: %d in %d\n", s->name(), s->range(), s->reports());
    bool is_right = inside.range() == 2 && outside.range() == 4 && inside.reports() == 3 &&
                    outside.reports() == 3;
    return is_right ? 0 : 1;
}
