// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A detached thread counts in a variable of the function that started it, which does not wait for it.
#include <atomic>
#include <semaphore.h>
#include <thread>

static sem_t done;

static void start(int to)
{
    std::atomic<int> sum{0};
    std::thread([&sum, to] {
        for (int i = 0; i < to; i++)
            sum += i; //~ here
        sem_post(&done);
    }).detach();
    sum += 1; //~ here
}

int main()
{
    sem_init(&done, 0, 0);
    start(2);
    sem_wait(&done);
    return 0;
}
