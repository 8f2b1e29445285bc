// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// One thread meets the other at the barrier after it has given back the lock.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int steps;

static void *other(void *unused)
{
    pthread_mutex_lock(&m);
    steps++;
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&both);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, other, NULL);
    sched_yield();
    pthread_mutex_lock(&m);
    steps++;
    pthread_mutex_unlock(&m);
    pthread_barrier_wait(&both);
    pthread_join(t, NULL);
    return 0;
}
