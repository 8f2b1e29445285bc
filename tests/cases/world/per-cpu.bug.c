// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A counter for each processor without a lock: a thread may be moved, or wait, between read and
// write.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static int counter[4096];

static void *count(void *arg)
{
    for (int i = 0; i < 2; i++)
        counter[sched_getcpu() % 4096]++; //~ here
    return arg;
}

int main(void)
{
    cpu_set_t set;
    int sum = 0;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < 4096; i++)
        sum += counter[i];
    printf("%d\n", sum);
    return sum != 4;
}
