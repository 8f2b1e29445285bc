// SPDX-License-Identifier: Apache-2.0
//~ check: misuse
// A thread waits on a condition with a mutex that it does not hold.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static atomic_int full;

static void *fill(void *arg)
{
    pthread_mutex_lock(&lock);
    full = 1; //~ here
    pthread_cond_broadcast(&there);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_create(&t, NULL, fill, NULL);
    while (!full)                                               //~ here
        if (pthread_cond_timedwait(&there, &lock, &until) != 0) //~ here
            break;
    pthread_join(t, NULL);
    return 0;
}
