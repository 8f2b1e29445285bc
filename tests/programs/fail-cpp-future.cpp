// main waits for a future that only it could satisfy, a thread for a notification.
//~ outcome: deadlock
//~ stdout: waiting for myself
//~ std: c++20
#include <atomic>
#include <future>
#include <iostream>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::atomic<int> number{0};
    std::thread waiter([&] {
        number.wait(0);
        promise.set_value(1);
    });
    std::cout << "waiting for myself" << std::endl;
    int result = promise.get_future().get();
    number = result; // too late
    number.notify_one();
    waiter.join();
    std::cout << "unreachable\n";
}
