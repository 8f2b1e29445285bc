// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A queue whose pop gives up after a while; who gives up counts it without the lock.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class queue
{
  public:
    void push(int n)
    {
        std::lock_guard<std::mutex> hold(lock);
        items.push_back(n);
        more.notify_one();
    }
    bool pop(int &n)
    {
        std::unique_lock<std::mutex> hold(lock);
        if (!more.wait_for(hold, std::chrono::milliseconds(20),
                           [this] { return !items.empty(); })) {
            hold.unlock();
            given_up++; //~ here
            return false;
        }
        n = items.front();
        items.pop_front();
        return true;
    }
    int given_up = 0;

  private:
    std::mutex lock;
    std::condition_variable more;
    std::deque<int> items;
};

int main()
{
    queue q;
    auto take = [&q] {
        int n, sum = 0;
        for (int i = 0; i < 3; i++)
            if (q.pop(n))
                sum += n;
        return sum;
    };
    std::thread a(take), b(take);
    q.push(1);
    q.push(2);
    a.join();
    b.join();
    return q.given_up > 6;
}
