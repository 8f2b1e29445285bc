// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A latch, a barrier, a semaphore and waiting on atomics of C++20.
//~ libs: -std=c++20
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static int parts[3], total, turns;
static std::latch begun(3);
static std::counting_semaphore<2> room(1);
static std::atomic<int> stage{0};

static void add() noexcept
{
    total = parts[0] + parts[1] + parts[2]; //~ here
}

static std::barrier together(3, add);

static void work(int me)
{
    parts[me] = me + 1; //~ here
    begun.count_down();
    begun.wait();
    parts[me] += parts[me] == 0;
    together.arrive_and_wait();
    room.acquire();
    turns += total; //~ here
    room.release();
    if (stage.fetch_add(1) == 2)
        stage.notify_all();
}

int main()
{
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    for (int s = stage.load(); s != 3; s = stage.load())
        stage.wait(s);
    return turns != 18;
}
