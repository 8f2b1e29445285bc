// SPDX-License-Identifier: Apache-2.0
//~ expect: lost-wakeup
// The condition is set, and signalled, without the lock.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static std::atomic<int> ready;

static void wait()
{
    std::unique_lock<std::mutex> guard(m);
    while (!ready)
        c.wait(guard);
}

static void tell()
{
    ready = 1;
    c.notify_one();
}

int main()
{
    std::thread a(wait), b(tell);
    a.join();
    b.join();
}
