// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// Two locks, taken in two orders.
#include <mutex>
#include <thread>

static std::mutex a, b;

int main()
{
    std::thread s([] {
        std::lock_guard<std::mutex> first(a);
        std::lock_guard<std::mutex> second(b);
    });
    std::thread t([] {
        std::lock_guard<std::mutex> first(b);
        std::lock_guard<std::mutex> second(a);
    });
    s.join();
    t.join();
}
