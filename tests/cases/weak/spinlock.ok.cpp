// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A spin lock whose flag is cleared with release.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class spinlock {
public:
    void lock()
    {
        while (flag_.test_and_set(std::memory_order_acquire))
            ;
    }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

static spinlock guard;
static std::atomic<int> from{100}, to{0};

static void move(int amount)
{
    std::lock_guard<spinlock> hold(guard);
    from.store(from.load(std::memory_order_relaxed) - amount, std::memory_order_relaxed);
    to.store(to.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

int main()
{
    std::thread a(move, 10), b(move, 20);
    a.join();
    b.join();
    int left = from.load(), moved = to.load();
    assert(left == 70 && moved == 30);
}
