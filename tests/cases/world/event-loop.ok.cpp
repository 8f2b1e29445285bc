// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Tasks are posted to a loop thread by a queue and an eventfd; what they made is read when it
// has ended.
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

class Loop
{
  public:
    Loop() : wake_(eventfd(0, EFD_NONBLOCK)) {}
    ~Loop()
    {
        close(wake_);
    }

    void post(std::function<bool()> task)
    {
        {
            std::lock_guard<std::mutex> guard(lock_);
            tasks_.push_back(std::move(task));
        }
        eventfd_write(wake_, 1);
    }

    void run()
    {
        for (bool more = true; more;) {
            pollfd p = {wake_, POLLIN, 0};
            poll(&p, 1, -1);
            eventfd_t count;
            eventfd_read(wake_, &count);
            std::deque<std::function<bool()>> taken;
            {
                std::lock_guard<std::mutex> guard(lock_);
                taken.swap(tasks_);
            }
            for (auto &task : taken)
                more = task() && more;
        }
    }

  private:
    int wake_;
    std::mutex lock_;
    std::deque<std::function<bool()>> tasks_;
};

int main()
{
    Loop loop;
    int made = 0;
    std::thread t([&] { loop.run(); });
    loop.post([&] {
        made = 3; //~ here
        return true;
    });
    loop.post([] { return false; });
    t.join();
    int seen = made; //~ here
    std::puts(seen <= 3 ? "made" : "what?");
    return 0;
}
