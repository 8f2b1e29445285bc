// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// A thread is joined under the lock that it needs.
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
    std::lock_guard<std::mutex> guard(m);
    t.join();
}
