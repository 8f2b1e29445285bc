// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two copies: readers look at one while the writer changes the other (left-right).
#include <atomic>
#include <cassert>
#include <map>
#include <thread>

struct table {
    int price = 0, size = 0;
};

static table copies[2];
static std::atomic<int> side{0}, epoch{0};
static std::atomic<int> readers[2];

static table read()
{
    int e = epoch.load(std::memory_order_seq_cst);
    readers[e].fetch_add(1, std::memory_order_seq_cst);
    table t = copies[side.load(std::memory_order_seq_cst)];
    readers[e].fetch_sub(1, std::memory_order_release);
    return t;
}

static void wait_for(int e)
{
    while (readers[e].load(std::memory_order_seq_cst) != 0)
        std::this_thread::yield();
}

static void write(int price, int size)
{
    int s = side.load(std::memory_order_relaxed);
    copies[!s] = {price, size};
    side.store(!s, std::memory_order_seq_cst);
    int e = epoch.load(std::memory_order_relaxed);
    wait_for(!e);
    epoch.store(!e, std::memory_order_seq_cst);
    wait_for(e);
    copies[s] = {price, size};
}

int main()
{
    std::thread reader([] {
        for (int i = 0; i < 2; i++) {
            table t = read();
            assert(t.price == t.size);
        }
    });
    write(1, 1);
    write(2, 2);
    reader.join();
}
