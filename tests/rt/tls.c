/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Destructors of keys, re-set in several rounds, use locks; pthread_exit. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>
static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;
static __thread int mine;

static void destroy(void *arg)
{
    long rounds = (long)arg;
    pthread_mutex_lock(&m);
    W(destroyed, R(destroyed) + 1);
    pthread_mutex_unlock(&m);
    if (rounds > 1)
        pthread_setspecific(key, (void *)(rounds - 1));
}

static void *work(void *arg)
{
    pthread_setspecific(key, arg);
    W(mine, (int)(long)arg);
    sched_yield();
    assert(R(mine) == (int)(long)arg);
    pthread_exit((void *)((long)arg * 2));
}

int main(void)
{
    pthread_t t[4];
    void *result;
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)(i % 3 + 1));
    for (long i = 0; i < 4; i++) {
        pthread_join(t[i], &result);
        assert(result == (void *)((i % 3 + 1) * 2));
    }
    assert(destroyed == 1 + 2 + 3 + 1);
    return 0;
}
