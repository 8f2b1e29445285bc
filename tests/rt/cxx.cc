// SPDX-License-Identifier: Apache-2.0
// expect: exit 0
// What the C++ library offers, through what it calls: no hook but HERE().
#include "hooks.h"
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex m;
static std::condition_variable cv;
static std::shared_mutex sm;
static int x, y;

static void mutexes()
{
    std::vector<std::thread> ts;
    for (int i = 0; i < 4; i++)
        ts.emplace_back([] {
            for (int j = 0; j < 20; j++) {
                std::lock_guard<std::mutex> l(m);
                W(x, R(x) + 1);
            }
            std::unique_lock<std::mutex> l(m);
            W(y, R(y) + 1);
            cv.notify_one();
        });
    {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [] { return R(y) == 4; });
        assert(!cv.wait_for(l, std::chrono::seconds(1), [] { return false; }));
    }
    for (auto &t : ts)
        t.join();
    assert(x == 80);
    std::shared_lock<std::shared_mutex> s(sm);
    assert(sm.try_lock_shared());
    sm.unlock_shared();
}

static void atomics()
{
    std::atomic<int> a{0};
    std::thread t([&] {
        a.wait(0);
        a = 2;
        a.notify_all();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    a = 1;
    a.notify_one();
    a.wait(1);
    assert(a == 2);
    t.join();
}

static void meetings()
{
    std::latch done(3);
    std::barrier meet(3);
    std::counting_semaphore<5> sem(0);
    std::vector<std::jthread> ts;
    std::atomic<int> n{0};
    for (int i = 0; i < 3; i++)
        ts.emplace_back([&] {
            n++;
            meet.arrive_and_wait();
            assert(n >= 3);
            meet.arrive_and_wait();
            n++;
            sem.release();
            done.count_down();
        });
    for (int i = 0; i < 3; i++)
        sem.acquire();
    done.wait();
    assert(n == 6 && !sem.try_acquire());
}

static int slow()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return 17;
}

static int guarded()
{
    static int v = slow();
    return v;
}

static void futures()
{
    auto f = std::async(std::launch::async, slow);
    auto g = std::async(std::launch::async, []() -> int { throw std::runtime_error("x"); });
    std::promise<int> p;
    std::thread t([&] { p.set_value(guarded()); });
    std::thread u([] { assert(guarded() == 17); });
    assert(p.get_future().get() == 17 && f.get() == 17);
    bool thrown = false;
    try {
        g.get();
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    assert(thrown);
    t.join();
    u.join();
}

static void once_calls()
{
    std::once_flag flag;
    int tries = 0;
    auto attempt = [&] {
        try {
            std::call_once(flag, [&] {
                if (++tries == 1)
                    throw std::runtime_error("first");
            });
        } catch (const std::runtime_error &) {
        }
    };
    std::thread t(attempt), u(attempt);
    t.join();
    u.join();
    attempt();
    assert(tries == 2);
    std::jthread j([](std::stop_token s) {
        while (!s.stop_requested())
            std::this_thread::yield();
    });
}

int main()
{
    mutexes();
    atomics();
    meetings();
    futures();
    once_calls();
}
