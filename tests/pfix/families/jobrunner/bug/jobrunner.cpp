// SPDX-License-Identifier: Apache-2.0
// Runs jobs one after the other in a thread of its own.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

class JobRunner {
public:
    using Job = std::function<void()>;

    JobRunner() : worker_([this] { run(); }) {}
    ~JobRunner() { stop(); }

    void submit(Job job)
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push(std::move(job));
        }
        wake_.notify_one();
    }

    // Jobs that have been submitted are still done.
    void stop()
    {
        if (!worker_.joinable())
            return;
        stopping_ = true;
        wake_.notify_one();
        worker_.join();
    }

private:
    void run()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            while (jobs_.empty() && !stopping_) {
                naps_++;
                wake_.wait(lock);
            }
            if (jobs_.empty())
                return;
            Job job = std::move(jobs_.front());
            jobs_.pop();
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::queue<Job> jobs_;
    int naps_ = 0; // times without work
    bool stopping_ = false;
    std::thread worker_;
};

int main()
{
    int sum = 0;
    for (int i = 1; i <= 2; i++) {
        std::promise<int> result;
        JobRunner runner;
        runner.submit([&result, i] { result.set_value(i * i); });
        sum += result.get_future().get();
    }
    if (sum != 5) {
        std::fprintf(stderr, "sum %d\n", sum);
        return 1;
    }
    return 0;
}
