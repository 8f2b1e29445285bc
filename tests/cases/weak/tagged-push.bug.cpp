// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|failure|assertion
// A stack of the numbers of nodes, with a tag against ABA in the same word. The push is
// relaxed.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

class tagged_stack
{
    struct node {
        int value;
        std::atomic<uint32_t> next;
    } nodes_[8];
    std::atomic<uint64_t> top_{0}; // tag << 32 | number + 1

  public:
    void push(uint32_t n, int value)
    {
        nodes_[n].value = value; //~ here
        uint64_t old = top_.load(std::memory_order_relaxed), now;
        do {
            nodes_[n].next.store(uint32_t(old), std::memory_order_relaxed);
            now = ((old >> 32) + 1) << 32 | (n + 1);
        } while (!top_.compare_exchange_weak(old, now, std::memory_order_relaxed,
                                             std::memory_order_relaxed));
    }

    bool pop(uint32_t &n, int &value)
    {
        uint64_t old = top_.load(std::memory_order_acquire), now;
        do {
            if (!uint32_t(old))
                return false;
            n = uint32_t(old) - 1;
            now = ((old >> 32) + 1) << 32 | nodes_[n].next.load(std::memory_order_relaxed);
        } while (!top_.compare_exchange_weak(old, now, std::memory_order_relaxed,
                                             std::memory_order_acquire));
        value = nodes_[n].value; //~ here
        return true;
    }
};

static tagged_stack work;
static std::atomic<int> sum{0};

static void taker()
{
    uint32_t n;
    int value;
    for (int i = 0; i < 3; i++)
        if (work.pop(n, value)) {
            sum.fetch_add(value, std::memory_order_relaxed);
            if (value == 1)
                work.push(n, 5);
        }
}

int main()
{
    std::thread a(taker), b(taker);
    work.push(0, 1);
    work.push(1, 2);
    a.join();
    b.join();
    uint32_t n;
    int value, rest = sum;
    while (work.pop(n, value))
        rest += value;
    assert(rest == 3 || rest == 8);
}
