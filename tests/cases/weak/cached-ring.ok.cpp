// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A ring for one producer and one consumer; each keeps a copy of the other's index.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

class ring
{
    enum { SIZE = 2 };
    std::string slots_[SIZE];
    alignas(64) std::atomic<unsigned> head_{0};
    unsigned tail_seen_ = 0;
    alignas(64) std::atomic<unsigned> tail_{0};
    unsigned head_seen_ = 0;

  public:
    bool push(const char *s)
    {
        unsigned t = tail_.load(std::memory_order_relaxed);
        if (t - head_seen_ == SIZE) {
            head_seen_ = head_.load(std::memory_order_acquire);
            if (t - head_seen_ == SIZE)
                return false;
        }
        slots_[t % SIZE] = s;
        tail_.store(t + 1, std::memory_order_release);
        return true;
    }

    bool pop(std::string &out)
    {
        unsigned h = head_.load(std::memory_order_relaxed);
        if (h == tail_seen_) {
            tail_seen_ = tail_.load(std::memory_order_acquire);
            if (h == tail_seen_)
                return false;
        }
        out = slots_[h % SIZE];
        head_.store(h + 1, std::memory_order_release);
        return true;
    }
};

static ring lines;

int main()
{
    std::thread consumer([] {
        std::string line;
        for (int i = 0; i < 4; i++) {
            while (!lines.pop(line))
                std::this_thread::yield();
            assert(line.size() == 3);
        }
    });
    for (const char *s : {"one", "two", "six", "ten"})
        while (!lines.push(s))
            std::this_thread::yield();
    consumer.join();
}
