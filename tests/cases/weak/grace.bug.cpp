// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// Readers say that they read; who replaces waits until nobody does, without the fences
// that this takes.
#include <atomic>
#include <cassert>
#include <thread>

struct entry {
    std::atomic<int> valid{1};
};

static entry old_entry, new_entry;
static std::atomic<entry *> table{&old_entry};
static std::atomic<int> reading{0};

static void reader()
{
    reading.store(1, std::memory_order_relaxed);
    entry *e = table.load(std::memory_order_acquire);
    int valid = e->valid.load(std::memory_order_relaxed);
    assert(valid);
    reading.store(0, std::memory_order_release);
}

static void writer()
{
    table.store(&new_entry, std::memory_order_release);
    while (reading.load(std::memory_order_acquire))
        ;
    old_entry.valid.store(0, std::memory_order_relaxed);
}

int main()
{
    std::thread a(reader), b(writer);
    a.join();
    b.join();
}
