// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A bounded queue for many producers and consumers (Vyukov): each cell's number is
// stored relaxed.
#include <atomic>
#include <cassert>
#include <thread>

class bounded {
    enum { CELLS = 2 };
    struct cell {
        std::atomic<unsigned> number;
        int item;
    } cells_[CELLS];
    std::atomic<unsigned> in_{0}, out_{0};

public:
    bounded()
    {
        for (unsigned i = 0; i < CELLS; i++)
            cells_[i].number.store(i, std::memory_order_relaxed);
    }

    bool push(int item)
    {
        unsigned at = in_.load(std::memory_order_relaxed);
        for (;;) {
            cell &c = cells_[at % CELLS];
            int ahead = int(c.number.load(std::memory_order_acquire) - at);
            if (ahead < 0)
                return false;
            if (ahead > 0)
                at = in_.load(std::memory_order_relaxed);
            else if (in_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                c.item = item; //~ here
                c.number.store(at + 1, std::memory_order_relaxed);
                return true;
            }
        }
    }

    bool pop(int &item)
    {
        unsigned at = out_.load(std::memory_order_relaxed);
        for (;;) {
            cell &c = cells_[at % CELLS];
            int ahead = int(c.number.load(std::memory_order_acquire) - (at + 1));
            if (ahead < 0)
                return false;
            if (ahead > 0)
                at = out_.load(std::memory_order_relaxed);
            else if (out_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                item = c.item; //~ here
                c.number.store(at + CELLS, std::memory_order_relaxed);
                return true;
            }
        }
    }
};

static bounded queue;

static void produce(int item)
{
    while (!queue.push(item))
        ;
}

int main()
{
    std::thread a(produce, 1), b(produce, 2);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int item = 0;
        while (!queue.pop(item))
            ;
        sum += item;
    }
    a.join();
    b.join();
    assert(sum == 3);
}
