// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ libs: -std=c++20
// A pool of objects with a word of bits, through std::atomic_ref.
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <thread>

struct buffer {
    char text[16];
};

static buffer buffers[2];
alignas(8) static uint64_t used = 0;

static buffer *take()
{
    std::atomic_ref<uint64_t> bits(used);
    uint64_t seen = bits.load(std::memory_order_relaxed);
    for (;;) {
        int i = std::countr_one(seen);
        if (i >= 2)
            return nullptr;
        if (bits.compare_exchange_weak(seen, seen | 1ull << i, std::memory_order_acquire,
                                       std::memory_order_relaxed))
            return &buffers[i];
    }
}

static void give(buffer *b)
{
    std::atomic_ref<uint64_t>(used).fetch_and(~(1ull << (b - buffers)),
                                              std::memory_order_release);
}

static void work(char c)
{
    for (int i = 0; i < 3; i++)
        if (buffer *b = take()) {
            b->text[0] = c;
            assert(b->text[0] == c);
            give(b);
        }
}

int main()
{
    std::thread a(work, 'a'), b(work, 'b'), c(work, 'c');
    a.join();
    b.join();
    c.join();
}
