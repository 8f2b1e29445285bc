// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// Owner and thief agree on the last task by two indices, and by a lock where they meet
// (the protocol of Cilk). The thief's fence is missing.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<int> head{0}, tail{0};
static std::atomic<int> tasks[4];
static std::mutex lock;
static std::atomic<int> done[4];

static void push(int task)
{
    int t = tail.load(std::memory_order_relaxed);
    tasks[t].store(task, std::memory_order_relaxed);
    tail.store(t + 1, std::memory_order_release);
}

static int pop()
{
    int t = tail.load(std::memory_order_relaxed) - 1;
    tail.store(t, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (head.load(std::memory_order_acquire) > t) {
        tail.store(t + 1, std::memory_order_relaxed);
        std::lock_guard<std::mutex> guard(lock);
        tail.store(t, std::memory_order_relaxed);
        if (head.load(std::memory_order_relaxed) > t) {
            tail.store(t + 1, std::memory_order_relaxed);
            return -1;
        }
    }
    return tasks[t].load(std::memory_order_relaxed);
}

static int steal()
{
    std::lock_guard<std::mutex> guard(lock);
    int h = head.load(std::memory_order_relaxed);
    head.store(h + 1, std::memory_order_relaxed);

    if (h + 1 > tail.load(std::memory_order_acquire)) {
        head.store(h, std::memory_order_relaxed);
        return -1;
    }
    return tasks[h].load(std::memory_order_relaxed);
}

static void run(int task)
{
    if (task >= 0)
        assert(done[task].fetch_add(1, std::memory_order_relaxed) == 0);
}

int main()
{
    push(0);
    push(1);
    std::thread thief([] {
        run(steal());
        run(steal());
    });
    run(pop());
    run(pop());
    thief.join();
}
