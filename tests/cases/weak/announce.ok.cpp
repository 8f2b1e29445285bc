// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ libs: -std=c++20
// Producers wake a consumer only if it has said that it sleeps.
#include <atomic>
#include <thread>

static std::atomic<int> items{0};
static std::atomic<bool> sleeps{false};
static std::atomic<int> rung{0};

static void produce()
{
    items.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleeps.load(std::memory_order_relaxed)) {
        rung.store(1, std::memory_order_release);
        rung.notify_one();
    }
}

static void consume()
{
    for (int tries = 0; tries < 3; tries++)
        if (items.load(std::memory_order_acquire))
            return;
    sleeps.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (items.load(std::memory_order_acquire))
        return;
    rung.wait(0, std::memory_order_acquire);
}

int main()
{
    std::thread c(consume), p(produce);
    p.join();
    c.join();
}
