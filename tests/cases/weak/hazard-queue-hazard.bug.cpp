// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|failure|assertion|use-after-free
// Michael and Scott's queue with hazard pointers. The hazard pointer is published with
// release only.
#include <atomic>
#include <cassert>
#include <thread>

struct node {
    int value = 0;
    std::atomic<node *> next{nullptr};
};

enum { THREADS = 3 };
static std::atomic<node *> hazards[THREADS][2];
static std::atomic<node *> head, tail;

static node *protect(std::atomic<node *> &hazard, std::atomic<node *> &from)
{
    node *n = from.load(std::memory_order_relaxed);
    for (;;) {
        hazard.store(n, std::memory_order_release);

        node *again = from.load(std::memory_order_acquire);
        if (again == n)
            return n;
        n = again;
    }
}

static void push(int me, int value)
{
    node *n = new node;
    n->value = value;
    for (;;) {
        node *last = protect(hazards[me][0], tail);
        node *next = last->next.load(std::memory_order_acquire); //~ here
        if (next) {
            tail.compare_exchange_strong(last, next, std::memory_order_release,
                                         std::memory_order_relaxed);
            continue;
        }
        if (last->next.compare_exchange_strong(next, n, std::memory_order_release,
                                               std::memory_order_relaxed)) {
            tail.compare_exchange_strong(last, n, std::memory_order_release,
                                         std::memory_order_relaxed);
            break;
        }
    }
    hazards[me][0].store(nullptr, std::memory_order_release);
}

static void retire(node *n)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (auto &of : hazards)
        for (auto &h : of)
            if (h.load(std::memory_order_acquire) == n)
                return; // left to the end of the process
    delete n;           //~ here
}

static bool pop(int me, int &value)
{
    for (;;) {
        node *first = protect(hazards[me][0], head);
        node *last = tail.load(std::memory_order_acquire);
        node *next = protect(hazards[me][1], first->next);
        if (head.load(std::memory_order_seq_cst) != first)
            continue;
        if (!next) {
            hazards[me][0].store(nullptr, std::memory_order_release);
            return false;
        }
        if (first == last) {
            tail.compare_exchange_strong(last, next, std::memory_order_release,
                                         std::memory_order_relaxed);
            continue;
        }
        value = next->value; //~ here
        if (!head.compare_exchange_strong(first, next, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
            continue;
        hazards[me][0].store(nullptr, std::memory_order_release);
        hazards[me][1].store(nullptr, std::memory_order_release);
        retire(first);
        return true;
    }
}

int main()
{
    node *empty = new node;
    head = empty;
    tail = empty;
    std::atomic<int> sum{0};
    auto both = [&](int me) {
        int got = 0;
        push(me, me + 1);
        if (pop(me, got))
            sum.fetch_add(got, std::memory_order_relaxed);
    };
    std::thread a(both, 1), b(both, 2);
    a.join();
    b.join();
    int got;
    while (pop(0, got))
        sum += got;
    assert(sum == 5);
}
