// std::jthread joins by itself; stop_token, stop_callback and a wait that a stop ends.
//~ exit: 0
//~ stdout: polled until the stop yes, callback ran 1, wait ended by the stop yes
//~ stdout: joined by the destructor 5, stop requested twice 1 0
//~ std: c++20
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

int main()
{
    std::atomic<bool> polled{false};
    std::atomic<int> callbacks{0};
    bool ended_by_stop = false;
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&](std::stop_token token) {
            std::stop_callback callback(token, [&] { callbacks++; });
            while (!token.stop_requested())
                std::this_thread::yield();
            polled = true;
        });
        threads.emplace_back([&](std::stop_token token) {
            std::mutex m;
            std::condition_variable_any never;
            std::unique_lock lock(m);
            ended_by_stop = !never.wait(lock, token, [] { return false; });
        });
        std::this_thread::yield();
    } // both are asked to stop, and joined
    std::cout << "polled until the stop " << (polled ? "yes" : "no") << ", callback ran "
              << callbacks << ", wait ended by the stop " << (ended_by_stop ? "yes" : "no")
              << '\n';

    int value = 0;
    {
        std::jthread plain([&value] { value = 5; });
    }
    auto source = std::make_unique<std::stop_source>();
    bool first = source->request_stop(), second = source->request_stop();
    std::cout << "joined by the destructor " << value << ", stop requested twice " << first
              << ' ' << second << '\n';
}
