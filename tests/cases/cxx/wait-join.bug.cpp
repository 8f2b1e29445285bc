// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// A thread is joined under a lock that is needed to tell it to go on.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m, turn;
static std::condition_variable told;
static bool ready;

static void wait()
{
    std::unique_lock<std::mutex> lock(m);
    told.wait(lock, [] { return ready; });
}

static void tell()
{
    std::lock_guard<std::mutex> own(turn);
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    told.notify_one();
}

int main()
{
    std::thread a(wait), b(tell);
    std::this_thread::yield();
    {
        std::lock_guard<std::mutex> own(turn);
        a.join();
    }
    b.join();
}
