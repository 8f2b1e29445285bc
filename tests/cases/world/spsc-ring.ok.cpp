// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A ring of one producer and one consumer with release and acquire.
#include <array>
#include <atomic>
#include <string>
#include <thread>

class ring {
public:
    bool push(std::string s)
    {
        auto t = tail.load(std::memory_order_relaxed);
        if (t - head.load(std::memory_order_acquire) == slots.size())
            return false;
        slots[t % slots.size()] = std::move(s); //~ here
        tail.store(t + 1, std::memory_order_release);
        return true;
    }
    bool pop(std::string &s)
    {
        auto h = head.load(std::memory_order_relaxed);
        if (h == tail.load(std::memory_order_acquire))
            return false;
        s = std::move(slots[h % slots.size()]); //~ here
        head.store(h + 1, std::memory_order_release);
        return true;
    }

private:
    std::array<std::string, 2> slots;
    std::atomic<unsigned> head{0}, tail{0};
};

int main()
{
    ring r;
    std::size_t bytes = 0;
    std::thread consumer([&] {
        std::string s;
        for (int n = 0; n < 4;) {
            if (r.pop(s)) { //~ here
                bytes += s.size();
                n++;
            } else
                std::this_thread::yield();
        }
    });
    for (int i = 0; i < 4; i++)
        while (!r.push("a message that does not fit into the string")) //~ here
            std::this_thread::yield();
    consumer.join();
    return bytes != 4 * 43;
}
