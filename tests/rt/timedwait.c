/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0 | assert
 * Timed waits on both clocks: one times out, one is woken, if timers end in order. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, mono;
static int go;

static void *waker(void *arg)
{
    usleep(1000);
    pthread_mutex_lock(&m);
    W(go, 1);
    pthread_cond_signal(&mono);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_condattr_t a;
    struct timespec when, now;
    pthread_t t;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&mono, &a);
    pthread_mutex_lock(&m);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 1;
    assert(pthread_cond_timedwait(&c, &m, &when) == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec >= when.tv_sec && now.tv_sec < when.tv_sec + 2);
    when.tv_nsec = 1000000000;
    assert(pthread_cond_timedwait(&c, &m, &when) == EINVAL);
    pthread_create(&t, NULL, waker, NULL);
    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += 1;
    while (!R(go))
        assert(pthread_cond_timedwait(&mono, &m, &when) == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return pthread_cond_destroy(&mono);
}
