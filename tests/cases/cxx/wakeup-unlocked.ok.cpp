// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The condition is set under the lock.
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
    {
        std::lock_guard<std::mutex> guard(m);
        ready = 1;
    }
    c.notify_one();
}

int main()
{
    std::thread a(wait), b(tell);
    a.join();
    b.join();
}
