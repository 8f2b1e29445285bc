// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A std::jthread is asked to stop; a plain flag goes with it.
//~ libs: -std=c++20
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any more;
static std::deque<int> jobs;
static bool stopped;

static void work(std::stop_token stop, int &sum)
{
    std::unique_lock<std::mutex> hold(lock);
    while (more.wait(hold, stop, [] { return !jobs.empty(); })) {
        sum += jobs.front();
        jobs.pop_front();
    }
    if (!stopped) //~ here
        sum = 0;
}

int main()
{
    int sum = 0;
    {
        std::jthread worker([&](std::stop_token s) { work(s, sum); });
        for (int i = 1; i <= 3; i++) {
            std::lock_guard<std::mutex> hold(lock);
            jobs.push_back(i);
            more.notify_one();
        }
        worker.request_stop();
        stopped = true; //~ here
    }
    return sum > 6;
}
