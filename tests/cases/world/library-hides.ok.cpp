// SPDX-License-Identifier: Apache-2.0
// What compiled code of the library leaves in a tree comes from the other thread, under a lock;
// the counter is atomic.
//~ check: quiet
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::map<int, int> table;
static std::atomic<int> hits;

static void put(int number)
{
    hits++;
    std::lock_guard<std::mutex> held(lock);
    for (int i = 0; i < 4; i++)
        table[number + i * 3] = i;
}

int main()
{
    std::thread one(put, 1), two(put, 2);
    one.join();
    two.join();
    return table.size() != 8;
}
