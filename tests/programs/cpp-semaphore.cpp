// std::counting_semaphore and binary_semaphore, with attempts that time out.
//~ explore: skip libstdc++ 12 compares with a count that it loaded before it spun, and may sleep for ever
//~ exit: 0
//~ stdout: never more than 2 inside: yes, entered 60
//~ stdout: ping pong ping pong, empty: try 0 for 0 until 0
//~ std: c++20
#include <atomic>
#include <chrono>
#include <iostream>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main()
{
    std::counting_semaphore<8> places(2);
    std::atomic<int> inside{0}, entered{0};
    std::atomic<bool> too_many{false};
    std::vector<std::thread> guests;
    for (int i = 0; i < 6; i++)
        guests.emplace_back([&] {
            for (int k = 0; k < 10; k++) {
                places.acquire();
                if (++inside > 2)
                    too_many = true;
                entered++;
                std::this_thread::yield();
                inside--;
                places.release();
            }
        });
    for (auto &t : guests)
        t.join();
    std::cout << "never more than 2 inside: " << (too_many ? "no" : "yes") << ", entered "
              << entered << '\n';

    std::binary_semaphore ping(1), pong(0);
    std::string said;
    std::thread ponger([&] {
        for (int i = 0; i < 2; i++) {
            pong.acquire();
            said += "pong ";
            ping.release();
        }
    });
    for (int i = 0; i < 2; i++) {
        ping.acquire();
        said += "ping ";
        pong.release();
    }
    ponger.join();
    said.back() = ',';
    std::counting_semaphore<> empty(0);
    bool once = empty.try_acquire(), span = empty.try_acquire_for(2ms);
    bool until = empty.try_acquire_until(std::chrono::steady_clock::now() + 2ms);
    std::cout << said << " empty: try " << once << " for " << span << " until " << until
              << '\n';
}
