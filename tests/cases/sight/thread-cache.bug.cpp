// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A cache that was meant to be each thread's own lacks the word thread_local.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> pool;

struct cache {
    std::vector<int> free;
    ~cache()
    {
        std::lock_guard<std::mutex> hold(lock);
        pool.insert(pool.end(), free.begin(), free.end());
    }
};

static cache own;

static void work(int n)
{
    for (int i = 0; i < 3; i++)
        own.free.push_back(n + i); //~ here
    own.free.pop_back(); //~ here
}

int main()
{
    std::thread a(work, 10), b(work, 20); //~ here
    a.join();
    b.join();
    return 0;
}
