// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Coroutines go on in the threads of a pool; what they keep goes along with them.
//~ libs: -std=c++20
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable more;
static std::deque<std::coroutine_handle<>> ready;
static int unfinished = 3, total;

struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

struct on_pool {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h)
    {
        std::lock_guard<std::mutex> hold(lock);
        ready.push_back(h);
        more.notify_one();
    }
    void await_resume() {}
};

static task work(int n)
{
    int kept = n;
    co_await on_pool{};
    kept *= 2;
    co_await on_pool{};
    std::lock_guard<std::mutex> hold(lock);
    total += kept;
    unfinished--;
    more.notify_all();
}

static void run()
{
    for (;;) {
        std::unique_lock<std::mutex> hold(lock);
        more.wait(hold, [] { return !ready.empty() || unfinished == 0; });
        if (ready.empty())
            return;
        auto h = ready.front();
        ready.pop_front();
        hold.unlock();
        h.resume(); //~ here
    }
}

int main()
{
    for (int i = 1; i <= 3; i++)
        work(i);
    std::vector<std::thread> pool;
    for (int i = 0; i < 2; i++)
        pool.emplace_back(run);
    for (auto &t : pool)
        t.join();
    return total != 12;
}
