// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Inserting into a map of one's own stands before and behind the accesses, which have a lock.
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static int level;
static std::mutex lock;

static void set()
{
    {
        std::lock_guard<std::mutex> guard(lock);
        level = 1; //~ here
    }
    std::map<std::string, int> mine;
    mine["set"] = 1;
}

static void get(int &seen)
{
    std::map<std::string, int> mine;
    mine["get"] = 2;
    std::lock_guard<std::mutex> guard(lock);
    seen = level; //~ here
}

int main()
{
    int seen = 0;
    std::thread a(set), b(get, std::ref(seen));
    a.join();
    b.join();
    std::puts("done");
    return seen > 1;
}
