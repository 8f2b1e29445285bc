// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Chance decides which of two counters is used, both under a lock.
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>

static int counter[2];
static unsigned chance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    counter[chance & 1]++; //~ here
    pthread_mutex_unlock(&lock);
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
