// SPDX-License-Identifier: Apache-2.0
//
// What programs use most of oneTBB, on three threads: a loop, a reduction, tasks that wait for tasks, a hash map that
// is counted in, a queue with a bound, and a value for each thread.
#include <oneapi/tbb.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <string>

static constexpr int size = 24;

static int fibonacci(int n)
{
    if (n < 2)
        return n;
    int a = 0, b = 0;
    tbb::task_group group;
    group.run([&] { a = fibonacci(n - 1); });
    b = fibonacci(n - 2);
    group.wait();
    return a + b;
}

static bool loops()
{
    int squares[size] = {};
    tbb::enumerable_thread_specific<int> counts;
    tbb::parallel_for(0, size, [&](int i) {
        squares[i] = i * i;
        counts.local()++;
    });
    int sum = tbb::parallel_reduce(
        tbb::blocked_range<int>(0, size), 0,
        [&](const tbb::blocked_range<int> &r, int value) {
            for (int i = r.begin(); i != r.end(); i++)
                value += squares[i];
            return value;
        },
        std::plus<int>());
    return sum == (size - 1) * size * (2 * size - 1) / 6 && counts.combine(std::plus<int>()) == size;
}

static bool containers()
{
    tbb::concurrent_hash_map<int, int> map;
    tbb::parallel_for(0, size, [&](int i) {
        tbb::concurrent_hash_map<int, int>::accessor at;
        map.insert(at, i % 3);
        at->second++;
    });
    int sum = 0;
    for (auto &pair : map)
        sum += pair.second;
    return sum == size && map.size() == 3;
}

static bool queues()
{
    tbb::concurrent_bounded_queue<int> queue;
    queue.set_capacity(2);
    std::thread writer([&] {
        for (int i = 0; i < size; i++)
            queue.push(i);
    });
    bool is_good = true;
    for (int i = 0, got; i < size; i++) {
        queue.pop(got);
        is_good = is_good && got == i;
    }
    writer.join();
    return is_good;
}

int main()
{
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena arena(3);
    bool is_good = arena.execute([] { return loops() && containers() && fibonacci(5) == 5; }) && queues();
    std::puts(is_good ? "good" : "bad");
    return !is_good;
}
