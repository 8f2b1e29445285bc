// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// One thread waits for the clock without sleeping, and both count without a lock.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int count;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *burn(void *arg)
{
    for (double end = now() + 0.3; now() < end;)
        ;
    count++; //~ here
    return arg;
}

static void *work(void *arg)
{
    count++; //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, burn, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", (int)count);
    return count != 2;
}
