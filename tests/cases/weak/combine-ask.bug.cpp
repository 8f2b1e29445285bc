// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Flat combining: who gets the lock does what the others have asked for. The request is
// published relaxed.
#include <atomic>
#include <cassert>
#include <thread>

struct record {
    int argument, result;
    std::atomic<bool> asked{false};
};

static record records[2];
static std::atomic<bool> busy{false};
static int counter = 0;

static void combine()
{
    for (auto &r : records)
        if (r.asked.load(std::memory_order_acquire)) {
            counter += r.argument; //~ here
            r.result = counter;    //~ here
            r.asked.store(false, std::memory_order_release);
        }
}

static int add(int me, int n)
{
    record &r = records[me];
    r.argument = n; //~ here
    r.asked.store(true, std::memory_order_relaxed);
    while (r.asked.load(std::memory_order_acquire)) {
        if (!busy.exchange(true, std::memory_order_acquire)) {
            combine();
            busy.store(false, std::memory_order_release);
        } else
            std::this_thread::yield();
    }
    return r.result; //~ here
}

int main()
{
    std::thread a([] { assert(add(0, 1) >= 1); });
    assert(add(1, 2) >= 2);
    a.join();
    assert(counter == 3);
}
