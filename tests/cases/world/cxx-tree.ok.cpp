// SPDX-License-Identifier: Apache-2.0
// Readers share a lock, or a tree that nobody changes any more; pointers that are counted; lists
// whose elements are handed over.
//~ check: quiet
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

static std::shared_mutex lock;
static std::map<int, std::shared_ptr<int>> table;
static const std::set<int> fixed = {1, 2, 3, 4, 5};
static std::mutex list_lock;
static std::list<int> queue;
static std::unordered_map<int, int> sums;

static void work(int number)
{
    {
        std::unique_lock<std::shared_mutex> held(lock);
        table[number] = std::make_shared<int>(number);
    }
    std::list<int> mine = {number, number + 1};
    {
        std::lock_guard<std::mutex> held(list_lock);
        queue.splice(queue.end(), mine);
        for (int i : fixed)
            sums[i] += number;
        if (queue.size() > 2)
            queue.pop_front();
    }
    std::shared_ptr<int> one;
    {
        std::shared_lock<std::shared_mutex> held(lock);
        auto at = table.find(1);
        if (at != table.end())
            one = at->second;
    }
    if (one && *one != 1)
        std::abort();
}

int main()
{
    std::thread one(work, 1), two(work, 2);
    one.join();
    two.join();
    return table.size() != 2;
}
