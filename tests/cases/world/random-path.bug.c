// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Chance decides which of two counters is used; neither has a lock.
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>

static int counter[2];
static unsigned chance;

static void *count(void *arg)
{
    counter[chance & 1]++; //~ here
    return arg;
}

int main(void)
{
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        return 2;
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter[0] + counter[1]);
    return counter[0] + counter[1] != 2;
}
