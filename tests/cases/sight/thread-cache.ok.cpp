// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A cache that is each thread's own; what it held goes to the common pool under its lock.
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

static thread_local cache own;

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
    return pool.size() != 4;
}
