// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

class Drain {
public:
    Drain() : worker_([this] { run(); }) {}
    ~Drain() { stop(); }

    void post(int amount) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            amounts_.push_back(amount);
        }
        changed_.notify_one();
    }

    void stop() {
        if (!worker_.joinable())
            return;
        stopping_ = true;
        changed_.notify_one();
        worker_.join();
    }

    int sum() const { return sum_; }

private:
    void run() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            while (amounts_.empty() && !stopping_)
                changed_.wait(lock);
            if (amounts_.empty())
                return;
            int amount = amounts_.front();
            amounts_.pop_front();
            lock.unlock();
            sum_ += amount;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<int> amounts_;
    bool stopping_ = false;
    int sum_ = 0;
    std::thread worker_;
};

int main() {
    Drain drain;
    drain.post(3);
    drain.post(4);
    drain.stop();
    if (drain.sum() != 7) {
        std::fprintf(stderr, "sum %d\n", drain.sum());
        return 1;
    }
    return 0;
}
