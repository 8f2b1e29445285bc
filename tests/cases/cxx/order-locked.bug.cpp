// SPDX-License-Identifier: Apache-2.0
//~ expect: order
// The result may be shown before it is computed, each under the lock.
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
    std::thread a(compute), b(show);
    a.join();
    b.join();
}
