// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
//~ libs: -std=c++20
// A lock of std::atomic_flag that tests before it tries. It is set relaxed.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class flag_lock
{
    std::atomic_flag flag_;

  public:
    void lock()
    {
        while (flag_.test_and_set(std::memory_order_relaxed))
            while (flag_.test(std::memory_order_relaxed))
                std::this_thread::yield();
    }
    void unlock()
    {
        flag_.clear(std::memory_order_release);
    }
};

static flag_lock guard;
static std::vector<int> log_;

static void add(int n)
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<flag_lock> hold(guard);
        log_.push_back(n);
    }
}

int main()
{
    std::thread a(add, 1), b(add, 2);
    a.join();
    b.join();
    assert(log_.size() == 4);
}
