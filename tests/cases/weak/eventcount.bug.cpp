// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// An event count: who waits registers and looks again, who notifies looks for waiters;
// one side has no fence.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> items{0}, waiters{0}, sleeps{0}, woken{0};

static void consumer()
{
    waiters.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (items.load(std::memory_order_relaxed) == 0)
        sleeps.store(1, std::memory_order_relaxed); // it would go to sleep here
}

static void producer()
{
    items.store(1, std::memory_order_release);
    if (waiters.load(std::memory_order_relaxed) > 0)
        woken.store(1, std::memory_order_relaxed);
}

int main()
{
    std::thread a(consumer), b(producer);
    a.join();
    b.join();
    bool for_ever = sleeps.load() && !woken.load();
    assert(!for_ever);
}
