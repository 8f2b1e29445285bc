// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two threads put something into a table, one at a time.
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

static std::unordered_map<int, std::string> names;
static std::mutex names_lock;

static void put(int key)
{
    std::lock_guard<std::mutex> guard(names_lock);
    names[key] = "somebody";
}

int main()
{
    std::thread a(put, 1), b(put, 2);
    a.join();
    b.join();
}
