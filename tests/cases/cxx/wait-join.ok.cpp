// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A thread is joined before the lock is taken.
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
    a.join();
    {
        std::lock_guard<std::mutex> own(turn);
    }
    b.join();
}
