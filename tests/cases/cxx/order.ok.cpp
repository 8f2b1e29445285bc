// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The result is shown once it is computed.
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
    std::thread a(compute);
    a.join();
    std::thread b(show);
    b.join();
}
