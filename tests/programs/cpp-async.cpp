// std::async, eager and deferred, with results, references, exceptions and shared futures.
//~ exit: 0
//~ stdout: sum 5050 in 4 parts, another thread yes, deferred here yes
//~ stdout: exception: too deep, shared 7 7 7
//~ std: c++17
#include <future>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static int deep(int n)
{
    if (n == 0)
        throw std::runtime_error("too deep");
    return deep(n - 1) + 1;
}

int main()
{
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::vector<std::future<int>> parts;
    for (int i = 0; i < 4; i++)
        parts.push_back(std::async(std::launch::async, [&numbers, i] {
            auto first = numbers.begin() + 25 * i;
            return std::accumulate(first, first + 25, 0);
        }));
    int sum = 0;
    for (auto &p : parts)
        sum += p.get();
    auto here = std::this_thread::get_id();
    auto id = [] { return std::this_thread::get_id(); };
    bool other = std::async(std::launch::async, id).get() != here;
    auto lazy = std::async(std::launch::deferred, id);
    bool deferred = lazy.wait_for(std::chrono::seconds(0)) == std::future_status::deferred;
    std::cout << "sum " << sum << " in 4 parts, another thread " << (other ? "yes" : "no")
              << ", deferred here " << (deferred && lazy.get() == here ? "yes" : "no") << '\n';

    auto failing = std::async(std::launch::async, deep, 10);
    try {
        failing.get();
    } catch (const std::runtime_error &e) {
        std::cout << "exception: " << e.what();
    }
    std::promise<int> promise;
    std::shared_future<int> shared = promise.get_future().share();
    auto read = [shared] { return shared.get(); };
    auto a = std::async(std::launch::async, read), b = std::async(std::launch::async, read);
    promise.set_value(7);
    std::cout << ", shared " << a.get() << ' ' << b.get() << ' ' << shared.get() << '\n';
}
