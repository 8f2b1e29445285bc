// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each of two says that it comes and looks whether the other one does, with one order
// for all.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> left{0}, right{0}, alone{0};

static void come(std::atomic<int> &mine, std::atomic<int> &other)
{
    mine.store(1, std::memory_order_seq_cst);
    if (other.load(std::memory_order_seq_cst) == 0)
        alone.fetch_add(1, std::memory_order_relaxed);
}

int main()
{
    std::thread a(come, std::ref(left), std::ref(right)), b(come, std::ref(right), std::ref(left));
    a.join();
    b.join();
    int both = alone.load(std::memory_order_relaxed);
    assert(both < 2);
}
