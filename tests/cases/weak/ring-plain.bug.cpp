// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A ring for one producer and one consumer: the tail is relaxed, and what it tells of
// is plain.
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned N>
class ring {
public:
    bool push(const T &value)
    {
        unsigned tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) == N)
            return false;
        slots_[tail % N] = value; //~ here
        tail_.store(tail + 1, std::memory_order_relaxed);
        return true;
    }

    bool pop(T &value)
    {
        unsigned head = head_.load(std::memory_order_relaxed);
        if (head == tail_.load(std::memory_order_acquire))
            return false;
        value = slots_[head % N]; //~ here
        head_.store(head + 1, std::memory_order_release);
        return true;
    }

private:
    std::atomic<unsigned> head_{0}, tail_{0};
    T slots_[N];
};

static ring<long, 4> numbers;

int main()
{
    std::thread producer([] {
        for (long i = 0; i < 5; i++)
            while (!numbers.push(i))
                ;
    });
    long sum = 0, value = 0;
    for (int i = 0; i < 5; i++) {
        while (!numbers.pop(value))
            ;
        sum += value;
    }
    producer.join();
    assert(sum == 10);
}
