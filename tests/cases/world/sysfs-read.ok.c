// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads ask the kernel by /sys how many processors there are, as libraries for threads
// do, and end the program where it does not say; the sum is kept under a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum;

static unsigned last_processor(void)
{
    unsigned first = 0, last = 0;
    FILE *f = fopen("/sys/devices/system/cpu/possible", "r");
    int got = f ? fscanf(f, "%u-%u", &first, &last) : 0;
    if (got < 1) {
        fputs("no /sys\n", stderr);
        exit(1);
    }
    fclose(f);
    return got == 2 ? last : first;
}

static void *work(void *unused)
{
    unsigned count = last_processor() + 1;
    pthread_mutex_lock(&lock);
    sum += count;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum == 0 || sum % 2 != 0;
}
