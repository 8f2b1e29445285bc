// std::call_once: one of many runs it; when the function throws, the next caller tries again.
//~ exit: 0
//~ stdout: runs 1 by 5 callers
//~ stdout: attempts 3, thrown to their callers 2, succeeded 1
//~ std: c++17
//~ tsan: skip its pthread_once does not survive an exception
#include <atomic>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main()
{
    std::once_flag simple, stubborn;
    std::atomic<int> callers{0};
    int runs = 0, attempts = 0, succeeded = 0;
    std::atomic<int> thrown{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; i++)
        threads.emplace_back([&] {
            std::call_once(simple, [&] { runs++; });
            callers += runs == 1;
            try {
                std::call_once(
                    stubborn,
                    [&](int needed) {
                        if (++attempts < needed)
                            throw std::runtime_error("not yet");
                        succeeded++;
                    },
                    3);
            } catch (const std::runtime_error &) {
                thrown++;
            }
        });
    for (auto &t : threads)
        t.join();
    std::cout << "runs " << runs << " by " << callers << " callers\n";
    std::cout << "attempts " << attempts << ", thrown to their callers " << thrown
              << ", succeeded " << succeeded << '\n';
}
