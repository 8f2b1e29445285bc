// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A cache that throws out what was not used for longest hands out references into itself.
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class lru {
public:
    const std::string &get(int key)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto found = where.find(key);
        if (found == where.end()) {
            order.emplace_front(key, "value number " + std::to_string(key) + " of the cache");
            where[key] = order.begin();
            if (order.size() > 2) {
                where.erase(order.back().first);
                order.pop_back(); //~ here
            }
            return order.front().second;
        }
        order.splice(order.begin(), order, found->second);
        return order.front().second;
    }

private:
    std::mutex lock;
    std::list<std::pair<int, std::string>> order;
    std::unordered_map<int, decltype(order)::iterator> where;
};

int main()
{
    lru cache;
    std::size_t n = 0;
    std::thread a([&] {
        for (int i = 0; i < 2; i++)
            n += cache.get(i).size(); //~ here
    });
    std::size_t m = 0;
    for (int i = 2; i < 6; i++)
        m += cache.get(i).size(); //~ here
    a.join();
    return n == 0 || m == 0;
}
