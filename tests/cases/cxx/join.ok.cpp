// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A thread is joined before the lock is taken.
#include <mutex>
#include <thread>

static std::mutex m;

static void work()
{
    std::lock_guard<std::mutex> guard(m);
}

int main()
{
    std::thread t(work);
    std::this_thread::yield();
    t.join();
    std::lock_guard<std::mutex> guard(m);
}
