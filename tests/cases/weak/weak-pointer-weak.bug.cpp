// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|use-after-free
// Strong and weak counts of our own. The weak count goes down relaxed.
#include <atomic>
#include <cassert>
#include <thread>

struct control {
    std::atomic<int> strong{1}, weak{1};
    int *value;
};

static void drop_weak(control *c)
{
    if (c->weak.fetch_sub(1, std::memory_order_relaxed) == 1)
        delete c; //~ here
}

static void drop(control *c)
{
    if (c->strong.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete c->value; //~ here
        drop_weak(c);
    }
}

static bool lock(control *c)
{
    int n = c->strong.load(std::memory_order_relaxed);
    while (n != 0)
        if (c->strong.compare_exchange_weak(n, n + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed))
            return true;
    return false;
}

static void watch(control *c)
{
    if (lock(c)) {
        assert(*c->value >= 7); //~ here
        drop(c);                //~ here
    }
    drop_weak(c);
}

int main()
{
    auto *c = new control;
    c->value = new int(7);
    c->weak.fetch_add(1, std::memory_order_relaxed);
    std::thread watcher(watch, c);
    drop(c);
    watcher.join();
}
