// std::thread with functions, lambdas, members and references; moved, swapped, detached.
//~ exit: 0
//~ stdout: 3 hello 12, joinable 0 1 0
//~ stdout: ids differ yes, detached done yes, not joinable: invalid_argument
//~ std: c++17
#include <atomic>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

static void add(int a, int b, int &sum)
{
    sum = a + b;
}

struct Counter {
    int value = 0;
    void count(int times)
    {
        for (int i = 0; i < times; i++)
            value++;
    }
};

int main()
{
    int sum = 0;
    std::string word = "hello", copy;
    Counter counter;
    std::thread a(add, 1, 2, std::ref(sum));
    std::thread b([word, &copy] { copy = word; });
    std::thread c(&Counter::count, &counter, 12);
    std::thread::id id = a.get_id();
    bool differ = id != b.get_id() && id != std::this_thread::get_id();
    std::thread empty, moved = std::move(a);
    bool first = a.joinable(), second = moved.joinable();
    empty.swap(moved);
    bool third = moved.joinable();
    empty.join();
    b.join();
    c.join();
    std::cout << sum << ' ' << copy << ' ' << counter.value << ", joinable " << first << ' '
              << second << ' ' << third << '\n';

    std::atomic<bool> done{false};
    std::thread([&done] { done = true; }).detach();
    while (!done)
        std::this_thread::yield();
    std::cout << "ids differ " << (differ ? "yes" : "no") << ", detached done yes, ";
    try {
        std::thread().join();
    } catch (const std::system_error &e) {
        if (e.code() == std::errc::invalid_argument)
            std::cout << "not joinable: invalid_argument\n";
    }
}
