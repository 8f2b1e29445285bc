// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A callback is replaced while another thread calls it.
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
        if (callback) //~ here
            callback(n); //~ here
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
