// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
//~ libs: -std=c++20
// A latch by atomic wait and notify. Who waits looks relaxed.
#include <atomic>
#include <cassert>
#include <thread>

class latch
{
    std::atomic<int> count_;

  public:
    explicit latch(int n) : count_(n) {}
    void count_down()
    {
        if (count_.fetch_sub(1, std::memory_order_release) == 1)
            count_.notify_all();
    }
    void wait()
    {
        for (int n; (n = count_.load(std::memory_order_relaxed)) != 0;)
            count_.wait(n, std::memory_order_relaxed);
    }
};

static latch ready(2);
static int parts[2];

int main()
{
    auto make = [](int i) {
        parts[i] = i + 1; //~ here
        ready.count_down();
    };
    std::thread a(make, 0), b(make, 1);
    ready.wait();
    assert(parts[0] + parts[1] == 3); //~ here
    a.join();
    b.join();
}
