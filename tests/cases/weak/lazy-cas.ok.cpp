// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Both make one, and who comes second takes the first one's: the failed compare-
// exchange acquires.
#include <atomic>
#include <cassert>
#include <thread>

struct cache {
    int size = 64;
};

static std::atomic<cache *> shared{nullptr};

static void use()
{
    cache *mine = new cache, *there = nullptr;
    if (!shared.compare_exchange_strong(there, mine, std::memory_order_release, std::memory_order_acquire)) {
        delete mine;
        mine = there;
    }
    assert(mine->size == 64);
}

int main()
{
    std::thread a(use), b(use);
    a.join();
    b.join();
    delete shared.load();
}
