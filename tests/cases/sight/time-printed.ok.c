// SPDX-License-Identifier: Apache-2.0
//~ check: race/none
// What is printed is how long it took: another number in every schedule, no harm of the race.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int cached;
static volatile int work;

static void *fill(void *unused)
{
    cached = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pthread_create(&t, 0, fill, 0);
    if (cached)
        for (int i = 0; i < 500; i++)
            work++;
    pthread_join(t, 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("took %ld ns\n",
           (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec);
    return 0;
}
