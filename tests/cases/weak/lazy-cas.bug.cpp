// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Both make one, and who comes second takes the first one's: the failed compare-
// exchange orders nothing.
#include <atomic>
#include <cassert>
#include <thread>

struct cache {
    int size = 64; //~ here
};

static std::atomic<cache *> shared{nullptr};

static void use()
{
    cache *mine = new cache, *there = nullptr;
    if (!shared.compare_exchange_strong(there, mine, std::memory_order_release, std::memory_order_relaxed)) {
        delete mine;
        mine = there;
    }
    assert(mine->size == 64); //~ here
}

int main()
{
    std::thread a(use), b(use);
    a.join();
    b.join();
    delete shared.load();
}
