// C++20 atomic wait and notify_one, notify_all on an int, a bool, a flag and a large integer.
//~ exit: 0
//~ stdout: passed 100 times, released 4, flag 1, large 1
//~ std: c++20
#include <atomic>
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

int main()
{
    std::atomic<int> turn{0};
    int passed = 0; // handed over with the turn
    std::thread partner([&] {
        for (int i = 0; i < 50; i++) {
            turn.wait(0);
            passed++;
            turn = 0;
            turn.notify_one();
        }
    });
    for (int i = 0; i < 50; i++) {
        passed++;
        turn = 1;
        turn.notify_one();
        turn.wait(1);
    }
    partner.join();

    std::atomic<bool> open{false};
    std::atomic<int> released{0};
    std::atomic_flag flag;
    std::atomic<std::int64_t> large{1LL << 40};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 4; i++)
        waiters.emplace_back([&] {
            open.wait(false, std::memory_order_acquire);
            released++;
        });
    bool flag_seen = false, large_seen = false;
    std::thread for_flag([&] {
        flag.wait(false);
        flag_seen = flag.test();
    });
    std::thread for_large([&] {
        large.wait(1LL << 40);
        large_seen = large == 2LL << 40; // only the upper half changes
    });
    open.store(true, std::memory_order_release);
    open.notify_all();
    flag.test_and_set();
    flag.notify_one();
    large = 2LL << 40;
    large.notify_all();
    for (auto &t : waiters)
        t.join();
    for_flag.join();
    for_large.join();
    std::cout << "passed " << passed << " times, released " << released << ", flag "
              << flag_seen << ", large " << large_seen << '\n';
}
