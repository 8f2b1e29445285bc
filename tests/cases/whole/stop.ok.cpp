// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The flag is set under the lock that the waiter holds.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <cstdio>
#include <deque>
class Worker {
    std::atomic<bool> stop{false};
    std::mutex m;
    std::condition_variable cv;
    std::deque<int> q;
    int handled = 0;
    std::thread t;
    void loop() {
        for (;;) {
            std::unique_lock<std::mutex> l(m);
            while (q.empty() && !stop)
                cv.wait(l);
            if (q.empty())
                return;
            q.pop_front();
            handled++;
        }
    }
public:
    void start() { t = std::thread(&Worker::loop, this); }
    void add(int x) { { std::lock_guard<std::mutex> g(m); q.push_back(x); } cv.notify_one(); }
    int finish() { { std::lock_guard<std::mutex> g(m); stop = true; } cv.notify_one(); t.join(); return handled; }
};
int main()
{
    Worker w;
    w.start();
    for (int i = 0; i < 4; i++)
        w.add(i);
    std::printf("handled %d\n", w.finish());
}
