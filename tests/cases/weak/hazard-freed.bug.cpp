// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|race|weak-race
// A hazard pointer stored with release: the node may be freed all the same.
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
        n = current.load(std::memory_order_acquire);
        hazard.store(n, std::memory_order_release);
    } while (n != current.load(std::memory_order_acquire));
    assert(n->value > 0); //~ here
    hazard.store(nullptr, std::memory_order_release);
}

static void change()
{
    node *old = current.exchange(new node{2}, std::memory_order_acq_rel);
    if (hazard.load(std::memory_order_acquire) != old)
        delete old; //~ here
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
