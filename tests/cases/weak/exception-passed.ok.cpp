// SPDX-License-Identifier: Apache-2.0
//~ libs: -std=c++20
//~ check: quiet
// A task throws in one thread of an executor, and who waits for it catches that: the library counts who still
// holds it, and whoever lets go last frees it.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>
class executor
{
    std::mutex m;
    std::condition_variable_any cv;
    std::deque<std::packaged_task<int()>> queue;
    int ran = 0;
    std::vector<std::jthread> threads;
    void run(std::stop_token st)
    {
        for (;;) {
            std::packaged_task<int()> task;
            {
                std::unique_lock l(m);
                if (!cv.wait(l, st, [&] { return !queue.empty(); }))
                    return;
                task = std::move(queue.front());
                queue.pop_front();
                ran++;
            }
            task();
        }
    }

  public:
    explicit executor(int n)
    {
        for (int i = 0; i < n; i++)
            threads.emplace_back([this](std::stop_token st) { run(st); });
    }
    ~executor()
    {
        for (auto &t : threads)
            t.request_stop();
        threads.clear();
    }
    template <class F> std::future<int> submit(F f)
    {
        std::packaged_task<int()> t(std::move(f));
        auto r = t.get_future();
        {
            std::lock_guard l(m);
            queue.push_back(std::move(t));
        }
        cv.notify_one();
        return r;
    }
    int count()
    {
        std::lock_guard l(m);
        return ran;
    }
};
int main()
{
    int sum = 0;
    executor e(2);
    std::vector<std::future<int>> f;
    for (int i = 0; i < 5; i++)
        f.push_back(e.submit([i] { return i * i; }));
    auto bad = e.submit([]() -> int { throw 7; });
    for (auto &x : f)
        sum += x.get();
    try {
        bad.get();
        std::abort();
    } catch (int n) {
        sum += n;
    }
    std::printf("%d\n", sum);
    return sum == 37 && e.count() <= 6 ? 0 : 1;
}
