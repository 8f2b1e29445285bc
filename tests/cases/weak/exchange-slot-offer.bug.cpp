// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Two threads exchange offers in one slot. The offer is made relaxed.
#include <atomic>
#include <cassert>
#include <thread>

struct offer {
    int mine, theirs = 0;
    std::atomic<bool> taken{false};
};

static std::atomic<offer *> slot{nullptr};

static int exchange(int mine)
{
    offer o;
    o.mine = mine; //~ here
    offer *there = nullptr;
    if (slot.compare_exchange_strong(there, &o, std::memory_order_relaxed,
                                     std::memory_order_acquire)) {
        while (!o.taken.load(std::memory_order_acquire))
            std::this_thread::yield();
        return o.theirs; //~ here
    }
    int got = there->mine; //~ here
    there->theirs = mine;  //~ here
    slot.store(nullptr, std::memory_order_relaxed);
    there->taken.store(true, std::memory_order_release);
    return got;
}

int main()
{
    int a = 0;
    std::thread t([&] { a = exchange(1); });
    int b = exchange(2);
    t.join();
    assert(a == 2 && b == 1);
}
