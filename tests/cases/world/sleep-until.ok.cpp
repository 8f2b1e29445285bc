// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A monitor wakes every 10 ms until it is told to end, and reads an atomic number.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

static std::atomic<bool> end{false};
static std::atomic<int> load{0};

static void monitor(int &most)
{
    auto next = std::chrono::steady_clock::now();
    while (!end) {
        int seen = load; //~ here
        if (seen > most)
            most = seen;
        next += std::chrono::milliseconds(10);
        std::this_thread::sleep_until(next);
    }
}

int main()
{
    int most = 0;
    std::thread t(monitor, std::ref(most));
    for (int i = 1; i <= 3; i++) {
        load = i; //~ here
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    end = true;
    t.join();
    std::puts("ended");
    return most > 3;
}
