// std::condition_variable: predicates, time-outs, notification at thread exit.
//~ exit: 0
//~ stdout: received 1 2 3 4 5
//~ stdout: wait_for timeout, wait_until 0, late enough yes
//~ stdout: notified at thread exit after the thread_local was destroyed: yes
//~ std: c++17
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex m;
static std::condition_variable cv;
static bool destroyed, finished;

struct Local {
    bool used = false;
    ~Local()
    {
        destroyed = used;
    }
};

int main()
{
    std::deque<int> queue;
    std::thread producer([&] {
        for (int i = 1; i <= 5; i++) {
            {
                std::lock_guard lock(m);
                queue.push_back(i);
            }
            cv.notify_one();
        }
    });
    std::cout << "received";
    for (int i = 0; i < 5; i++) {
        std::unique_lock lock(m);
        cv.wait(lock, [&] { return !queue.empty(); });
        std::cout << ' ' << queue.front();
        queue.pop_front();
    }
    producer.join();

    std::unique_lock lock(m);
    auto start = std::chrono::steady_clock::now();
    std::cv_status status;
    do
        status = cv.wait_for(lock, 3ms);
    while (status == std::cv_status::no_timeout); // spurious
    bool until =
        cv.wait_until(lock, std::chrono::system_clock::now() + 3ms, [] { return false; });
    auto span = std::chrono::steady_clock::now() - start;
    std::cout << "\nwait_for timeout, wait_until " << until << ", late enough "
              << (span >= 5ms ? "yes" : "no") << '\n';

    std::thread last([] {
        thread_local Local local;
        local.used = true;
        std::unique_lock inner(m);
        finished = true;
        std::notify_all_at_thread_exit(cv, std::move(inner));
    });
    cv.wait(lock, [] { return finished; });
    bool seen = destroyed;
    lock.unlock();
    last.join();
    std::cout << "notified at thread exit after the thread_local was destroyed: "
              << (seen ? "yes" : "no") << '\n';
}
