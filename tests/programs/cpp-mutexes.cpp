// std::mutex, recursive_mutex, timed_mutex, lock_guard, unique_lock, scoped_lock and std::lock.
//~ exit: 0
//~ stdout: counter 3000, transfers keep 200
//~ stdout: held: try_lock 0 try_lock_for 0 try_lock_until 0; free: try_lock_for 1
//~ stdout: recursion 5, unlocked twice: operation_not_permitted
//~ std: c++17
#include <chrono>
#include <iostream>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::recursive_mutex recursive;

static int depth(int n)
{
    std::lock_guard lock(recursive);
    return n == 0 ? 0 : 1 + depth(n - 1);
}

int main()
{
    std::mutex m, left, right;
    std::timed_mutex timed;
    int counter = 0, a = 100, b = 100;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 1000; k++) {
                std::lock_guard<std::mutex> lock(m);
                counter++;
            }
            for (int k = 0; k < 100; k++)
                if (i % 2 == 0) {
                    std::scoped_lock both(left, right);
                    a--, b++;
                } else {
                    std::unique_lock r(right, std::defer_lock), l(left, std::defer_lock);
                    std::lock(r, l); // the other way round: must not deadlock
                    a++, b--;
                }
        });
    for (auto &t : threads)
        t.join();
    std::cout << "counter " << counter << ", transfers keep " << a + b << '\n';

    timed.lock();
    bool tried = true, waited = true, until = true;
    std::thread([&] {
        tried = timed.try_lock();
        waited = timed.try_lock_for(3ms);
        until = timed.try_lock_until(std::chrono::system_clock::now() + 3ms);
    }).join();
    timed.unlock();
    std::cout << "held: try_lock " << tried << " try_lock_for " << waited << " try_lock_until "
              << until << "; free: try_lock_for " << timed.try_lock_for(1ms) << '\n';
    timed.unlock();
    std::unique_lock lock(m);
    lock.unlock();
    std::cout << "recursion " << depth(5);
    try {
        lock.unlock();
    } catch (const std::system_error &e) {
        if (e.code() == std::errc::operation_not_permitted)
            std::cout << ", unlocked twice: operation_not_permitted\n";
    }
}
