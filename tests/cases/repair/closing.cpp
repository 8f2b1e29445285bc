// SPDX-License-Identifier: Apache-2.0
// The flag that ends a wait is set without the lock: whoever has just looked at it sleeps for ever.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
public:
    bool pop(int &job)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        while (jobs_.empty() && !closed_)
            changed_.wait(lock);
        if (jobs_.empty())
            return false;
        job = jobs_.front();
        jobs_.pop_front();
        return true;
    }
    void close()
    {
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<int> jobs_;
    bool closed_ = false;
};

int main()
{
    Queue queue;
    std::thread worker([&queue] {
        int job;
        while (queue.pop(job))
            ;
    });
    queue.close();
    worker.join();
    return 0;
}
