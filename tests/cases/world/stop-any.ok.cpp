// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A worker waits with condition_variable_any for work or the stop flag; who stops it holds
// the lock.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

class worker
{
  public:
    worker() : thread([this] { run(); }) {}
    ~worker()
    {
        {
            std::lock_guard<std::shared_mutex> hold(lock);
            stop = true;
        }
        changed.notify_all();
        thread.join();
    }
    void put(int n)
    {
        std::lock_guard<std::shared_mutex> hold(lock);
        work += n;
        changed.notify_one();
    }

  private:
    void run()
    {
        std::unique_lock<std::shared_mutex> hold(lock);
        while (!stop) {
            sum += work;
            work = 0;
            changed.wait(hold, [this] { return stop || work; });
        }
    }
    std::shared_mutex lock;
    std::condition_variable_any changed;
    std::atomic<bool> stop{false};
    int work = 0, sum = 0;
    std::thread thread;
};

int main()
{
    worker w;
    w.put(1);
    w.put(2);
}
