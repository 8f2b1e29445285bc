// A pool of threads runs packaged tasks from a queue and is torn down by its destructor.
//~ exit: 0
//~ stdout: squares 0 1 4 9 16 25 36 49, exceptions 1, left in the queue 0
//~ std: c++17
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Pool
{
  public:
    explicit Pool(int size)
    {
        for (int i = 0; i < size; i++)
            threads.emplace_back([this] { work(); });
    }
    ~Pool()
    {
        {
            std::lock_guard lock(m);
            closed = true;
        }
        changed.notify_all();
        for (auto &t : threads)
            t.join();
        std::cout << "left in the queue " << tasks.size() << '\n';
    }
    template <class F> auto submit(F f) -> std::future<decltype(f())>
    {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        std::lock_guard lock(m);
        tasks.emplace_back([task] { (*task)(); });
        changed.notify_one();
        return task->get_future();
    }

  private:
    void work()
    {
        std::unique_lock lock(m);
        while (changed.wait(lock, [this] { return closed || !tasks.empty(); }),
               !tasks.empty()) {
            auto task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            task();
            lock.lock();
        }
    }
    std::mutex m;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    std::vector<std::thread> threads;
    bool closed = false;
};

int main()
{
    Pool pool(3);
    std::vector<std::future<int>> squares;
    for (int i = 0; i < 8; i++)
        squares.push_back(pool.submit([i] { return i * i; }));
    auto failing = pool.submit([]() -> int { throw std::logic_error("no"); });
    std::cout << "squares";
    for (auto &f : squares)
        std::cout << ' ' << f.get();
    try {
        failing.get();
    } catch (const std::logic_error &) {
        std::cout << ", exceptions 1, ";
    }
}
