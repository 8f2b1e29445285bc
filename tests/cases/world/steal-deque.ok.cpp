// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A deque that is stolen from (Chase and Lev), with the orders of Le and others.
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<long> top{0}, bottom{0};
static std::atomic<int> slots[8];
static int taken[4];

static void push(int v)
{
    long b = bottom.load(std::memory_order_relaxed);
    slots[b % 8].store(v, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom.store(b + 1, std::memory_order_relaxed);
}

static int take()
{
    long b = bottom.load(std::memory_order_relaxed) - 1;
    bottom.store(b, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    long t = top.load(std::memory_order_relaxed);
    int v = -1;
    if (t <= b) {
        v = slots[b % 8].load(std::memory_order_relaxed);
        if (t == b) {
            if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                             std::memory_order_relaxed))
                v = -1;
            bottom.store(b + 1, std::memory_order_relaxed);
        }
    } else
        bottom.store(b + 1, std::memory_order_relaxed);
    return v;
}

static int steal()
{
    long t = top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    long b = bottom.load(std::memory_order_acquire);
    if (t >= b)
        return -1;
    int v = slots[t % 8].load(std::memory_order_relaxed);
    if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                     std::memory_order_relaxed))
        return -1;
    return v;
}

int main()
{
    for (int i = 0; i < 4; i++)
        push(i);
    std::thread thief([] {
        for (int i = 0; i < 3; i++) {
            int v = steal();
            if (v >= 0)
                taken[v]++; //~ here
        }
    });
    for (int v; (v = take()) >= 0;)
        taken[v]++; //~ here
    thief.join();
    for (int n : taken)
        if (n != 1)
            return 1;
    return 0;
}
