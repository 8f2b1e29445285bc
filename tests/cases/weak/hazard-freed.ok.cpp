// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A hazard pointer stored sequentially consistent, and read so.
#include <atomic>
#include <cassert>
#include <thread>

struct node {
    int value;
};

static std::atomic<node *> current{nullptr}, hazard{nullptr};

static void use()
{
    node *n;
    do {
        n = current.load(std::memory_order_seq_cst);
        hazard.store(n, std::memory_order_seq_cst);
    } while (n != current.load(std::memory_order_seq_cst));
    assert(n->value > 0);
    hazard.store(nullptr, std::memory_order_release);
}

static void change()
{
    node *old = current.exchange(new node{2}, std::memory_order_seq_cst);
    if (hazard.load(std::memory_order_seq_cst) != old)
        delete old;
    else
        while (hazard.load(std::memory_order_acquire) == old)
            ;
}

int main()
{
    current.store(new node{1});
    std::thread a(use), b(change);
    a.join();
    b.join();
}
