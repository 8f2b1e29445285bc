// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A cache in an unordered_map is looked into without the lock that guards its insertions.
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class cache {
public:
    int get(const std::string &key)
    {
        auto found = values.find(key); //~ here
        return found == values.end() ? -1 : found->second; //~ here
    }
    void put(const std::string &key, int value)
    {
        std::lock_guard<std::mutex> hold(lock);
        values[key] = value; //~ here
    }

private:
    std::unordered_map<std::string, int> values;
    std::mutex lock;
};

int main()
{
    cache c;
    c.put("a", 1);
    std::thread other([&] { c.put("b", 2); }); //~ here
    int got = c.get("a"); //~ here
    other.join();
    return got != 1;
}
