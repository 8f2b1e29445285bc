// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// Peterson's lock with acquire and release: whose turn it is may be overtaken.
#include <atomic>
#include <cassert>
#include <thread>

class peterson {
public:
    void lock(int me)
    {
        wants_[me].store(true, std::memory_order_release);
        turn_.store(!me, std::memory_order_release);
        while (wants_[!me].load(std::memory_order_acquire) && turn_.load(std::memory_order_acquire) == !me)
            ;
    }
    void unlock(int me) { wants_[me].store(false, std::memory_order_release); }

private:
    std::atomic<bool> wants_[2] = {};
    std::atomic<int> turn_{0};
};

static peterson mutex;
static std::atomic<int> inside{0};

static void work(int me)
{
    mutex.lock(me);
    int others = inside.fetch_add(1, std::memory_order_relaxed);
    assert(others == 0);
    inside.fetch_sub(1, std::memory_order_relaxed);
    mutex.unlock(me);
}

int main()
{
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
}
