// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/none
// Time stamps of the processor in a variable that two threads write: a race that harms nobody.
#include <pthread.h>
#include <stdio.h>

static unsigned long long last;

static unsigned long long stamp(void)
{
    unsigned low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

static void *work(void *arg)
{
    unsigned long long begin = stamp();
    last = begin; //~ here
    *(int *)arg = begin != 0;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int stamped[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &stamped[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", stamped[0] + stamped[1]);
    return last == 0;
}
