// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|failure|assertion|use-after-free
// A queue for many producers and consumers in the manner of moodycamel's: a sub-queue
// for each producer, made of blocks that are used again; consumers take turns at the
// sub-queues. Blocks are given back relaxed.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <new>
#include <thread>
#include <utility>

template <typename T, size_t BLOCK> class camel_queue
{
    struct block {
        std::atomic<size_t> emptied{0};
        std::atomic<block *> next_free{nullptr};
        alignas(T) unsigned char room[BLOCK][sizeof(T)];
        T *at(size_t i)
        {
            return reinterpret_cast<T *>(room[i % BLOCK]);
        }
    };

    enum { BLOCKS_MAX = 8 };

  public:
    class producer
    {
        friend class camel_queue;
        std::atomic<size_t> tail{0}, head{0}, optimistic{0}, overcommit{0};
        std::atomic<block *> blocks[BLOCKS_MAX]{};
        producer *next = nullptr;
    };

    producer *new_producer()
    {
        auto *p = new producer;
        p->next = producers_.load(std::memory_order_relaxed);
        while (!producers_.compare_exchange_weak(p->next, p, std::memory_order_release,
                                                 std::memory_order_relaxed))
            ;
        return p;
    }

    void push(producer *p, T item)
    {
        size_t at = p->tail.load(std::memory_order_relaxed);
        auto &place = p->blocks[at / BLOCK % BLOCKS_MAX];
        if (at % BLOCK == 0)
            place.store(take_block(), std::memory_order_relaxed);
        new (place.load(std::memory_order_relaxed)->at(at)) T(std::move(item)); //~ here
        p->tail.store(at + 1, std::memory_order_release);
    }

    bool pop(T &item)
    {
        for (producer *p = producers_.load(std::memory_order_acquire); p; p = p->next)
            if (pop_from(p, item))
                return true;
        return false;
    }

    ~camel_queue()
    {
        T item;
        while (pop(item))
            ;
        for (producer *p = producers_.load(), *next; p; p = next) {
            next = p->next;
            size_t tail = p->tail.load();
            if (tail % BLOCK)
                delete p->blocks[tail / BLOCK % BLOCKS_MAX].load();
            delete p;
        }
        for (block *b = free_.load(), *next; b; b = next) {
            next = b->next_free.load();
            delete b;
        }
    }

  private:
    std::atomic<producer *> producers_{nullptr};
    std::atomic<block *> free_{nullptr};

    block *take_block()
    {
        // all of the list at once: no block comes back while it is being looked at
        block *b = free_.exchange(nullptr, std::memory_order_acquire);
        if (!b)
            return new block;
        for (block *rest = b->next_free.load(std::memory_order_relaxed), *next; rest;
             rest = next) {
            next = rest->next_free.load(std::memory_order_relaxed);
            give_block(rest);
        }
        b->emptied.store(0, std::memory_order_relaxed);
        return b;
    }

    void give_block(block *b)
    {
        block *top = free_.load(std::memory_order_relaxed);
        do
            b->next_free.store(top, std::memory_order_relaxed);
        while (!free_.compare_exchange_weak(top, b, std::memory_order_relaxed,
                                            std::memory_order_relaxed));
    }

    static bool is_before(size_t a, size_t b)
    {
        return ptrdiff_t(a - b) < 0;
    }

    bool pop_from(producer *p, T &item)
    {
        size_t over = p->overcommit.load(std::memory_order_relaxed);
        if (!is_before(p->optimistic.load(std::memory_order_relaxed) - over,
                       p->tail.load(std::memory_order_relaxed)))
            return false;
        std::atomic_thread_fence(std::memory_order_acquire);
        size_t mine = p->optimistic.fetch_add(1, std::memory_order_relaxed);
        size_t tail = p->tail.load(std::memory_order_acquire);
        if (!is_before(mine - over, tail)) {
            p->overcommit.fetch_add(1, std::memory_order_release);
            return false;
        }
        size_t at = p->head.fetch_add(1, std::memory_order_acq_rel);
        block *b = p->blocks[at / BLOCK % BLOCKS_MAX].load(std::memory_order_relaxed);
        item = std::move(*b->at(at)); //~ here
        b->at(at)->~T();
        if (b->emptied.fetch_add(1, std::memory_order_acq_rel) == BLOCK - 1)
            give_block(b);
        return true;
    }
};

static void produce(camel_queue<long, 2> *q, long from)
{
    auto *p = q->new_producer();
    for (long i = 0; i < 3; i++)
        q->push(p, from + i);
}

int main()
{
    camel_queue<long, 2> q;
    std::thread a(produce, &q, 1), b(produce, &q, 10);
    std::atomic<long> sum{0};
    auto consume = [&] {
        long got = 0;
        for (int tries = 0; tries < 4; tries++)
            if (q.pop(got))
                sum.fetch_add(got, std::memory_order_relaxed);
    };
    std::thread c(consume);
    consume();
    a.join();
    b.join();
    c.join();
    long got = 0;
    while (q.pop(got))
        sum += got;
    assert(sum == 6 + 33);
}
