// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock that readers pass by a flag of their own, as long as nobody writes: the flags
// are in one order.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> reads{false}, writes{false};
static std::atomic<int> left{0}, right{0};

static void reader()
{
    reads.store(true, std::memory_order_seq_cst);
    if (!writes.load(std::memory_order_seq_cst)) {
        int a = left.load(std::memory_order_relaxed);
        int b = right.load(std::memory_order_relaxed);
        assert(a == b);
    }
    reads.store(false, std::memory_order_release);
}

static void writer()
{
    writes.store(true, std::memory_order_seq_cst);
    while (reads.load(std::memory_order_seq_cst))
        ;
    left.store(1, std::memory_order_relaxed);
    right.store(1, std::memory_order_relaxed);
    writes.store(false, std::memory_order_release);
}

int main()
{
    std::thread a(reader), b(writer);
    a.join();
    b.join();
}
