// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A lock for readers and writers in one word. Readers give it back relaxed.
#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

class spin_shared
{
    enum : unsigned { WRITER = 1u << 31 };
    std::atomic<unsigned> word_{0};

  public:
    void lock()
    {
        unsigned free = 0;
        while (!word_.compare_exchange_weak(free, WRITER, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
            free = 0;
            std::this_thread::yield();
        }
    }
    void unlock()
    {
        word_.store(0, std::memory_order_release);
    }
    void lock_shared()
    {
        for (;;) {
            unsigned n = word_.load(std::memory_order_relaxed);
            if (!(n & WRITER) &&
                word_.compare_exchange_weak(n, n + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed))
                return;
            std::this_thread::yield();
        }
    }
    void unlock_shared()
    {
        word_.fetch_sub(1, std::memory_order_relaxed);
    }
};

static spin_shared guard;
static int low = 0, high = 0;

int main()
{
    std::thread reader([] {
        for (int i = 0; i < 2; i++) {
            std::shared_lock<spin_shared> hold(guard);
            assert(low == high); //~ here
        }
    });
    for (int i = 0; i < 2; i++) {
        std::unique_lock<spin_shared> hold(guard);
        low++;  //~ here
        high++; //~ here
    }
    reader.join();
}
