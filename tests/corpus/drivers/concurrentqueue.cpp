// SPDX-License-Identifier: Apache-2.0
//
// Two producers, one with a token of its own, and two consumers of a blocking moodycamel queue: every item arrives
// once, and those of one producer in the order in which they were put in.
#include <blockingconcurrentqueue.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static constexpr int items = 12, producers = 2, consumers = 2;

struct item {
    int producer, number;
};

static moodycamel::BlockingConcurrentQueue<item> queue(8, producers, producers);

static void produce(int self)
{
    moodycamel::ProducerToken token(queue);
    for (int i = 0; i < items; i++)
        if (!(self == 0 ? queue.enqueue(token, {self, i}) : queue.enqueue({self, i})))
            std::exit(1);
}

static void consume(int *sum)
{
    int last[producers] = {-1, -1};
    for (int i = 0; i < items * producers / consumers; i++) {
        item next;
        queue.wait_dequeue(next);
        if (next.number <= last[next.producer])
            std::exit(2);
        last[next.producer] = next.number;
        *sum += next.number;
    }
}

int main()
{
    int sums[consumers] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < producers; i++)
        threads.emplace_back(produce, i);
    for (int i = 0; i < consumers; i++)
        threads.emplace_back(consume, &sums[i]);
    for (auto &thread : threads)
        thread.join();
    if (sums[0] + sums[1] != producers * items * (items - 1) / 2 || queue.size_approx() != 0)
        return 1;
    std::puts("good");
    return 0;
}
