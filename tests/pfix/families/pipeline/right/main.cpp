// SPDX-License-Identifier: Apache-2.0
#include "stages.hpp"

#include <cstdio>
#include <functional>
#include <thread>

int main()
{
    Channel<int> numbers;
    long sums[2] = {0, 0};

    std::thread first(summer, std::ref(numbers), std::ref(sums[0]));
    std::thread second(summer, std::ref(numbers), std::ref(sums[1]));
    source(numbers, 2);
    first.join();
    second.join();
    if (sums[0] + sums[1] != 3)
    {
        std::fprintf(stderr, "%ld and %ld\n", sums[0], sums[1]);
        return 1;
    }
    return 0;
}
