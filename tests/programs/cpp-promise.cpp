// std::promise and packaged_task: values, exceptions, time-outs, set at thread exit.
//~ exit: 0
//~ stdout: value 42, exception bad input, broken promise
//~ stdout: before timeout, after ready, task 9, set at exit 3, twice: already satisfied
//~ std: c++17
#include <chrono>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    std::promise<int> value, failing;
    auto value_future = value.get_future(), failing_future = failing.get_future();
    auto before = value_future.wait_for(2ms);
    std::thread t([&] {
        value.set_value(42);
        failing.set_exception(std::make_exception_ptr(std::invalid_argument("bad input")));
    });
    value_future.wait();
    auto after = value_future.wait_for(0ms);
    std::cout << "value " << value_future.get() << ", exception ";
    try {
        failing_future.get();
    } catch (const std::invalid_argument &e) {
        std::cout << e.what();
    }
    t.join();
    std::future<void> orphan = std::promise<void>().get_future();
    try {
        orphan.get();
    } catch (const std::future_error &e) {
        if (e.code() == std::future_errc::broken_promise)
            std::cout << ", broken promise\n";
    }

    std::packaged_task<int(int)> square([](int n) { return n * n; });
    auto squared = square.get_future();
    std::thread worker(std::move(square), 3);
    std::promise<int> late;
    auto late_future = late.get_future();
    std::thread leaver([&late] { late.set_value_at_thread_exit(3); });
    leaver.join();
    std::cout << "before " << (before == std::future_status::timeout ? "timeout" : "ready")
              << ", after " << (after == std::future_status::ready ? "ready" : "timeout")
              << ", task " << squared.get() << ", set at exit " << late_future.get();
    worker.join();
    try {
        value.set_value(43);
    } catch (const std::future_error &e) {
        if (e.code() == std::future_errc::promise_already_satisfied)
            std::cout << ", twice: already satisfied\n";
    }
}
