// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A callback is copied under the lock and called outside it.
#include <functional>
#include <mutex>
#include <thread>

class notifier {
public:
    void set(std::function<void(int)> f)
    {
        std::lock_guard<std::mutex> hold(lock);
        callback = std::move(f); //~ here
    }
    void fire(int n)
    {
        std::function<void(int)> mine;
        {
            std::lock_guard<std::mutex> hold(lock);
            mine = callback;
        }
        if (mine)
            mine(n);
    }

private:
    std::mutex lock;
    std::function<void(int)> callback;
};

int main()
{
    notifier n;
    int seen = 0;
    n.set([&](int v) { seen = v; });
    std::thread t([&] { n.set([](int) {}); }); //~ here
    n.fire(3); //~ here
    t.join();
    return seen != 0 && seen != 3;
}
