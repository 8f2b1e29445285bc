// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Locks of C++ that are moved, deferred and taken together; a mutex that ends with its object.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

struct account {
    std::mutex m;
    int n = 0;
};

static std::unique_lock<std::mutex> taken(std::mutex &m)
{
    std::unique_lock<std::mutex> l(m);
    return l;
}

int main()
{
    account a, b;
    std::shared_mutex s;
    std::recursive_mutex r;
    std::condition_variable c;
    bool ready = false;
    std::vector<std::thread> all;
    for (int i = 0; i < 2; i++)
        all.emplace_back([&] {
            std::scoped_lock both(a.m, b.m);
            a.n++;
            b.n--;
        });
    all.emplace_back([&] {
        auto l = taken(a.m);
        c.wait(l, [&] { return ready; });
        std::lock_guard<std::recursive_mutex> one(r);
        std::lock_guard<std::recursive_mutex> two(r);
    });
    {
        std::shared_lock<std::shared_mutex> l(s);
        auto other = std::move(l);
    }
    {
        auto l = taken(a.m);
        ready = true;
    }
    c.notify_one();
    for (auto &t : all)
        t.join();
    for (int i = 0; i < 3; i++) {
        auto p = std::make_unique<account>();
        std::lock_guard<std::mutex> l(p->m);
    }
    return a.n + b.n;
}
