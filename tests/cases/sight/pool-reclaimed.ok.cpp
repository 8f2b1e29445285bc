// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A pile of parts without locks: who takes one keeps it until all threads have ended.
#include <atomic>
#include <thread>

struct part {
    int number;
    part *below, *kept;
};

static std::atomic<part *> pile, taken;

static void give(int number)
{
    part *mine = new part{number, pile.load(), nullptr};
    while (!pile.compare_exchange_strong(mine->below, mine)) {
    }
}

static int take()
{
    part *seen = pile.load();
    while (seen && !pile.compare_exchange_strong(seen, seen->below)) {
    }
    int number = seen ? seen->number : 0;
    if (seen) {
        seen->kept = taken.load();
        while (!taken.compare_exchange_strong(seen->kept, seen)) {
        }
    }
    return number;
}

static void work(int number)
{
    give(number);
    take();
}

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    for (part *p = taken, *next; p; p = next) {
        next = p->kept;
        delete p;
    }
    return pile.load() != nullptr;
}
