// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// wait_for with 30 s, a predicate under the lock, and a result that is stored behind the
// notification.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static int result;

static void produce()
{
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
    }
    changed.notify_one();
    result = 12; //~ here
}

int main()
{
    std::thread t(produce);
    {
        std::unique_lock<std::mutex> guard(lock);
        if (!changed.wait_for(guard, std::chrono::seconds(30), [] { return ready; }))
            return 1;
    }
    std::printf("%d\n", result); //~ here
    t.join();
    return 0;
}
