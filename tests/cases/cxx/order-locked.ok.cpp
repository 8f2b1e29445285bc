// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The result is shown once it is computed, each under the lock.
#include <cstdio>
#include <mutex>
#include <thread>

static int result;
static std::mutex m;

static void compute()
{
    std::lock_guard<std::mutex> guard(m);
    result = 42;
}

static void show()
{
    std::lock_guard<std::mutex> guard(m);
    std::printf("%d\n", result);
}

int main()
{
    std::thread a(compute);
    a.join();
    std::thread b(show);
    b.join();
}
