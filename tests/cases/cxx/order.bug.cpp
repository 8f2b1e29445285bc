// SPDX-License-Identifier: Apache-2.0
//~ expect: race, order
// The result may be shown before it is computed, without any lock.
#include <cstdio>
#include <mutex>
#include <thread>

static int result;

static void compute()
{
    result = 42;
}

static void show()
{
    std::printf("%d\n", result);
}

int main()
{
    std::thread a(compute), b(show);
    a.join();
    b.join();
}
