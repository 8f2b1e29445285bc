// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion|weak-race|race
// A queue for one producer and one consumer, of blocks that are linked when one is
// full: the link is stored relaxed.
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned SIZE>
class block_queue {
    struct block {
        std::atomic<unsigned> written{0};
        std::atomic<block *> next{nullptr};
        T items[SIZE];
    };
    block *head_, *tail_; // the consumer's and the producer's
    unsigned read_ = 0;

public:
    block_queue() { head_ = tail_ = new block; }

    void push(const T &item)
    {
        unsigned n = tail_->written.load(std::memory_order_relaxed);
        if (n == SIZE) {
            block *b = new block;
            b->items[0] = item; //~ here
            b->written.store(1, std::memory_order_relaxed);
            tail_->next.store(b, std::memory_order_relaxed); //~ here
            tail_ = b;
            return;
        }
        tail_->items[n] = item;
        tail_->written.store(n + 1, std::memory_order_release);
    }

    bool pop(T &item)
    {
        if (read_ == SIZE) {
            block *next = head_->next.load(std::memory_order_acquire);
            if (!next)
                return false;
            delete head_; //~ here
            head_ = next;
            read_ = 0;
        }
        if (read_ == head_->written.load(std::memory_order_acquire)) //~ here
            return false;
        item = head_->items[read_++]; //~ here
        return true;
    }
};

static block_queue<int, 2> queue;

int main()
{
    std::thread producer([] {
        for (int i = 1; i <= 3; i++)
            queue.push(i);
    });
    for (int i = 1; i <= 3; i++) {
        int got = 0;
        while (!queue.pop(got))
            ;
        assert(got == i);
    }
    producer.join();
}
