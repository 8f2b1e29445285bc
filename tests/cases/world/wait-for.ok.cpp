// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// wait_for with 30 s and a predicate under the lock; that it runs out would end the program.
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
    result = 12;
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
    }
    changed.notify_one();
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
