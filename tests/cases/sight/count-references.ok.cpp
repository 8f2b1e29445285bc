// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// References are counted by an atomic number, relaxed up and released down, with a fence at the end.
#include <atomic>
#include <thread>

struct buffer {
    std::atomic<int> references{1};
    char bytes[16] = {};
};

static buffer *share(buffer *b)
{
    b->references.fetch_add(1, std::memory_order_relaxed);
    return b;
}

static void drop(buffer *b)
{
    if (b->references.fetch_sub(1, std::memory_order_release) == 1) {
        std::atomic_thread_fence(std::memory_order_acquire);
        delete b;
    }
}

int main()
{
    buffer *b = new buffer;
    std::thread other([mine = share(b)] {
        char c = mine->bytes[3];
        drop(mine);
        (void)c;
    });
    b->bytes[0] = 'x';
    drop(b);
    other.join();
    return 0;
}
