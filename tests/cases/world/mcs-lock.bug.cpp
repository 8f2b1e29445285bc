// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A queue lock (MCS) under which one of two numbers is counted.
#include <atomic>
#include <thread>
#include <vector>

struct node {
    std::atomic<node *> next{nullptr};
    std::atomic<bool> waits{false};
};

static std::atomic<node *> tail{nullptr};
static int total;
static int ended;

static void lock(node &me)
{
    me.next.store(nullptr, std::memory_order_relaxed);
    me.waits.store(true, std::memory_order_relaxed);
    node *before = tail.exchange(&me, std::memory_order_acq_rel);
    if (before == nullptr)
        return;
    before->next.store(&me, std::memory_order_release);
    while (me.waits.load(std::memory_order_acquire))
        std::this_thread::yield();
}

static void unlock(node &me)
{
    node *next = me.next.load(std::memory_order_acquire);
    if (next == nullptr) {
        node *expected = &me;
        if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_release))
            return;
        while ((next = me.next.load(std::memory_order_acquire)) == nullptr)
            std::this_thread::yield();
    }
    next->waits.store(false, std::memory_order_release);
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            node me;
            lock(me);
            total++; //~ here
            unlock(me);
            ended++; //~ here
        });
    for (auto &t : threads)
        t.join();
    return total != 3;
}
