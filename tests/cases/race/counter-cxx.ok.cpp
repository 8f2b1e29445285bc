// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two threads count under a lock.
#include <mutex>
#include <thread>

static int counter;
static std::mutex m;

static void count()
{
    std::lock_guard<std::mutex> guard(m);
    counter++;
}

int main()
{
    std::thread a(count), b(count);
    a.join();
    b.join();
}
