// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A sequence lock round an array of relaxed words, with fences.
#include <atomic>
#include <cassert>
#include <thread>

template <unsigned N> class snapshot
{
    std::atomic<unsigned> seq_{0};
    std::atomic<int> words_[N]{};

  public:
    void write(int v)
    {
        unsigned s = seq_.load(std::memory_order_relaxed);
        seq_.store(s + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        for (auto &w : words_)
            w.store(v++, std::memory_order_relaxed);
        seq_.store(s + 2, std::memory_order_release);
    }

    bool read(int (&out)[N]) const
    {
        for (int tries = 0; tries < 4; tries++) {
            unsigned before = seq_.load(std::memory_order_acquire);
            for (unsigned i = 0; i < N; i++)
                out[i] = words_[i].load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!(before & 1) && seq_.load(std::memory_order_relaxed) == before)
                return true;
        }
        return false;
    }
};

static snapshot<3> position;

int main()
{
    position.write(10);
    std::thread writer([] {
        position.write(20);
        position.write(30);
    });
    int at[3];
    if (position.read(at))
        assert(at[1] == at[0] + 1 && at[2] == at[0] + 2);
    writer.join();
}
