// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|double-free
// A pile of parts without locks: who takes one looks into it, though another one may have taken
// and deleted it by then. The try fails in that case, and nothing else shows it.
#include <atomic>
#include <thread>

struct part {
    int number;
    part *below;
};

static std::atomic<part *> pile;

static void give(int number)
{
    part *mine = new part{number, pile.load()};
    while (!pile.compare_exchange_strong(mine->below, mine)) {
    }
}

static int take()
{
    part *seen = pile.load();
    while (seen && !pile.compare_exchange_strong(seen, seen->below)) {
    }
    int number = seen ? seen->number : 0;
    delete seen;
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
    return pile.load() != nullptr;
}
