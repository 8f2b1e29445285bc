// sleep_for and sleep_until on both clocks last long enough, in threads that overlap.
//~ exit: 0
//~ stdout: too short 0, clocks steady yes
//~ std: c++17
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main()
{
    std::atomic<int> too_short{0};
    std::vector<std::thread> sleepers;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; i++)
        sleepers.emplace_back([&, i] {
            auto begin = std::chrono::steady_clock::now();
            if (i == 0)
                std::this_thread::sleep_for(5ms);
            else if (i == 1)
                std::this_thread::sleep_until(begin + 5ms);
            else
                std::this_thread::sleep_until(std::chrono::system_clock::now() + 6ms);
            if (std::chrono::steady_clock::now() - begin < 5ms)
                too_short++;
        });
    for (auto &t : sleepers)
        t.join();
    auto end = std::chrono::steady_clock::now();
    std::cout << "too short " << too_short << ", clocks steady "
              << (end - start >= 5ms && std::chrono::steady_clock::is_steady ? "yes" : "no")
              << '\n';
}
