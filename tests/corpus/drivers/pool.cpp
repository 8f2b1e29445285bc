// SPDX-License-Identifier: Apache-2.0
// A pool of threads as C++ programs have it: a queue of functions, a condition, futures for what they give.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int count)
    {
        for (int i = 0; i < count; i++)
            threads.emplace_back([this] { work(); });
    }
    ~Pool()
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            stop = true;
        }
        change.notify_all();
        for (auto &t : threads)
            t.join();
    }
    template <class F> std::future<int> add(F f)
    {
        auto task = std::make_shared<std::packaged_task<int()>>(f);
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> hold(lock);
            tasks.push([task] { (*task)(); });
        }
        change.notify_one();
        return result;
    }

private:
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> hold(lock);
                change.wait(hold, [this] { return stop || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }
    std::mutex lock;
    std::condition_variable change;
    std::queue<std::function<void()>> tasks;
    std::vector<std::thread> threads;
    bool stop = false;
};

int main()
{
    std::map<std::string, int> words;
    std::mutex lock;
    int sum = 0;
    {
        Pool pool(3);
        std::vector<std::future<int>> results;
        for (int i = 0; i < 60; i++)
            results.push_back(pool.add([i, &words, &lock] {
                int n = 0;
                for (int k = 0; k < 200; k++)
                    n += k % (i + 1);
                std::lock_guard<std::mutex> hold(lock);
                words["word" + std::to_string(i % 7)] += n;
                return n;
            }));
        for (auto &r : results)
            sum += r.get();
    }
    std::printf("%d %zu\n", sum, words.size());
    return 0;
}
