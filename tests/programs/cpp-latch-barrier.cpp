// std::latch, and std::barrier with a completion and a thread that drops out.
//~ exit: 0
//~ stdout: all started before the latch opened: yes
//~ stdout: phases 6, arrivals seen 4 4 4 3 3 3
//~ std: c++20
#include <atomic>
#include <barrier>
#include <iostream>
#include <latch>
#include <thread>
#include <vector>

int main()
{
    constexpr int threads = 4;
    std::latch all_started(threads), go(1);
    std::atomic<int> started{0}, arrivals{0};
    int seen[6] = {}, phases = 0; // only the completion touches them
    auto completion = [&]() noexcept { seen[phases++] = arrivals.exchange(0); };
    std::barrier barrier(threads, completion);
    std::vector<std::thread> pool;
    for (int i = 0; i < threads; i++)
        pool.emplace_back([&, i] {
            started++;
            all_started.count_down();
            go.wait();
            for (int phase = 0; phase < 6; phase++) {
                arrivals++;
                if (phase == 2 && i == 0) {
                    barrier.arrive_and_drop();
                    return;
                }
                if (phase % 2 == 0)
                    barrier.arrive_and_wait();
                else
                    barrier.wait(barrier.arrive());
            }
        });
    all_started.wait();
    bool all = started == threads && all_started.try_wait();
    go.count_down();
    for (auto &t : pool)
        t.join();
    std::cout << "all started before the latch opened: " << (all ? "yes" : "no") << '\n';
    std::cout << "phases " << phases << ", arrivals seen";
    for (int n : seen)
        std::cout << ' ' << n;
    std::cout << '\n';
}
