// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A triple buffer: writer and reader exchange theirs for the one in the middle, with
// acquire and release.
#include <atomic>
#include <cassert>
#include <thread>

enum { FRESH = 4 };

static std::atomic<int> frames[3][2];
static std::atomic<int> middle{1};

static void writer()
{
    int mine = 0;
    for (int i = 1; i <= 2; i++) {
        frames[mine][0].store(i, std::memory_order_relaxed);
        frames[mine][1].store(i, std::memory_order_relaxed);
        mine = middle.exchange(mine | FRESH, std::memory_order_acq_rel) & 3;
    }
}

int main()
{
    std::thread a(writer);
    int mine = 2;
    if (middle.load(std::memory_order_relaxed) & FRESH) {
        mine = middle.exchange(mine, std::memory_order_acq_rel) & 3;
        int one = frames[mine][0].load(std::memory_order_relaxed);
        int two = frames[mine][1].load(std::memory_order_relaxed);
        assert(one == two && one > 0);
    }
    a.join();
}
