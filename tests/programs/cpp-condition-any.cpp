// std::condition_variable_any with a shared lock and with the program's own lock.
//~ exit: 0
//~ stdout: readers released 3, own lock locked and unlocked equally: yes
//~ std: c++17
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Counted
{
  public:
    void lock()
    {
        m.lock();
        locks++;
    }
    void unlock()
    {
        unlocks++;
        m.unlock();
    }
    int locks = 0, unlocks = 0;

  private:
    std::mutex m;
};

int main()
{
    std::shared_mutex m;
    std::condition_variable_any opened, turned;
    bool open = false, turn = false;
    int released[3] = {0, 0, 0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; i++)
        readers.emplace_back([&, i] {
            std::shared_lock lock(m);
            opened.wait(lock, [&] { return open; });
            released[i] = 1;
        });
    {
        std::unique_lock lock(m);
        open = true;
    }
    opened.notify_all();
    for (auto &t : readers)
        t.join();

    Counted own;
    std::thread other([&] {
        std::lock_guard lock(own);
        turn = true;
        turned.notify_one();
    });
    {
        std::unique_lock lock(own);
        while (!turn)
            turned.wait(lock);
    }
    other.join();
    std::cout << "readers released " << released[0] + released[1] + released[2]
              << ", own lock locked and unlocked equally: "
              << (own.locks == own.unlocks && own.locks >= 2 ? "yes" : "no") << '\n';
}
