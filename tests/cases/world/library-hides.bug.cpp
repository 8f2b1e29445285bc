// SPDX-License-Identifier: Apache-2.0
// What compiled code of the library leaves in a tree comes from the other thread, under a lock;
// that orders nothing else.
//~ check: race
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::map<int, int> table;
static int hits;

static void put(int number)
{
    hits++; //~ here
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
