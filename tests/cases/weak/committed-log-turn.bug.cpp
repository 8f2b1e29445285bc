// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A log: a place is taken by fetch_add, and shown in order by a count of what is
// written. Who waits for its turn to count looks relaxed.
#include <atomic>
#include <cassert>
#include <thread>

static int lines[8];
static std::atomic<int> taken{0}, written{0};

static void write(int value)
{
    int at = taken.fetch_add(1, std::memory_order_relaxed);
    lines[at] = value; //~ here
    while (written.load(std::memory_order_relaxed) != at)
        std::this_thread::yield();
    written.store(at + 1, std::memory_order_release);
}

int main()
{
    auto writer = [] {
        write(1);
        write(1);
    };
    std::thread a(writer), b(writer);
    int n = written.load(std::memory_order_acquire), sum = 0;
    while (n < 3) {
        std::this_thread::yield();
        n = written.load(std::memory_order_acquire);
    }
    for (int i = 0; i < n; i++)
        sum += lines[i]; //~ here
    assert(sum == n);
    a.join();
    b.join();
}
