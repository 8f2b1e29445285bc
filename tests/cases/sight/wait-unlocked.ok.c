// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread waits on a condition with the mutex that it holds.
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
    pthread_mutex_lock(&lock);
    while (!full)                                               //~ here
        if (pthread_cond_timedwait(&there, &lock, &until) != 0) //~ here
            break;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
