// std::shared_mutex and shared_timed_mutex: readers together, a writer alone, timed attempts.
//~ exit: 0
//~ stdout: readers inside together 3, map size 100, misses 0
//~ stdout: writer inside: shared 0 for 0; reader inside: shared 1 exclusive 0
//~ std: c++20
#include <atomic>
#include <barrier>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main()
{
    std::shared_mutex m;
    std::barrier meet(3);
    std::map<int, int> squares;
    std::atomic<int> misses{0}, inside{0}, most{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            std::shared_lock lock(m);
            inside++;
            meet.arrive_and_wait();
            most = inside.load();
            meet.arrive_and_wait();
        });
    for (auto &t : threads)
        t.join();
    threads.clear();
    for (int i = 0; i < 2; i++) {
        threads.emplace_back([&, i] {
            for (int k = i; k < 100; k += 2) {
                std::unique_lock lock(m);
                squares[k] = k * k;
            }
        });
        threads.emplace_back([&] {
            for (int k = 0; k < 100; k++) {
                std::shared_lock lock(m);
                auto it = squares.find(k);
                if (it != squares.end() && it->second != k * k)
                    misses++;
            }
        });
    }
    for (auto &t : threads)
        t.join();
    std::cout << "readers inside together " << most << ", map size " << squares.size()
              << ", misses " << misses << '\n';

    std::shared_timed_mutex timed;
    auto elsewhere = [](auto attempt) {
        bool result = false;
        std::thread([&] { result = attempt(); }).join();
        return result;
    };
    timed.lock();
    std::cout << "writer inside: shared " << elsewhere([&] { return timed.try_lock_shared(); })
              << " for " << elsewhere([&] { return timed.try_lock_shared_for(2ms); });
    timed.unlock();
    timed.lock_shared();
    bool shared =
        elsewhere([&] { return timed.try_lock_shared() && (timed.unlock_shared(), 1); });
    std::cout << "; reader inside: shared " << shared << " exclusive "
              << elsewhere([&] { return timed.try_lock_for(2ms); }) << '\n';
    timed.unlock_shared();
}
