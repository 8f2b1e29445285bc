// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Treiber's stack: a node is pushed with release and taken with acquire.
#include <atomic>
#include <cassert>
#include <thread>

struct node {
    std::atomic<int> value{0};
    node *next = nullptr;
};

static std::atomic<node *> top{nullptr};

static void push(node *n, int value)
{
    n->value.store(value, std::memory_order_relaxed);
    n->next = top.load(std::memory_order_relaxed);
    while (!top.compare_exchange_weak(n->next, n, std::memory_order_release,
                                      std::memory_order_relaxed))
        ;
}

/* One thread takes all there is. */
static node *take_all()
{
    return top.exchange(nullptr, std::memory_order_acquire);
}

int main()
{
    static node nodes[2];
    std::thread a(push, &nodes[0], 1), b(push, &nodes[1], 1);
    int seen = 0, got = 0;
    for (int i = 0; i < 2; i++)
        if (node *n = take_all()) {
            seen++;
            got += n->value.load(std::memory_order_relaxed);
        }
    assert(got == seen);
    a.join();
    b.join();
}
