// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A sequence lock whose data are relaxed atomics, with the fences that it needs.
#include <atomic>
#include <thread>

using cell = std::atomic<int>;

static std::atomic<unsigned> sequence{0};
static cell x{0}, y{0};

static void write(int v)
{
    unsigned s = sequence.load(std::memory_order_relaxed);
    sequence.store(s + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    x.store(v, std::memory_order_relaxed);
    y.store(-v, std::memory_order_relaxed);
    sequence.store(s + 2, std::memory_order_release);
}

static bool read(int &sum)
{
    unsigned before = sequence.load(std::memory_order_acquire);
    if (before & 1)
        return false;
    int a = x.load(std::memory_order_relaxed), b = y.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    sum = a + b;
    return sequence.load(std::memory_order_relaxed) == before;
}

int main()
{
    int sum = 0, tries = 0;
    std::thread writer([] {
        for (int i = 1; i <= 3; i++)
            write(i);
    });
    while (!read(sum) && ++tries < 100)
        std::this_thread::yield();
    writer.join();
    while (!read(sum))
        ;
    return sum != 0;
}
