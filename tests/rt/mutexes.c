/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Recursive, error-checking, robust, try and timed mutexes with their codes. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t make(int type, int robust)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setrobust(&a, robust);
    pthread_mutex_init(&m, &a);
    return m;
}

static pthread_mutex_t rec, check, robust, plain = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
    struct timespec past = {1, 0}, bad = {1, 1000000000}, soon;
    assert(pthread_mutex_trylock(&rec) == EBUSY);
    assert(pthread_mutex_unlock(&rec) == EPERM);
    assert(pthread_mutex_unlock(&check) == EPERM);
    assert(pthread_mutex_timedlock(&plain, &past) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&plain, &bad) == EINVAL);
    assert(pthread_mutex_clocklock(&plain, 77, &past) == EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec += 5;
    assert(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec >= soon.tv_sec);
    assert(pthread_mutex_lock(&robust) == 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    rec = make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    check = make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    robust = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_lock(&rec) == 0);
    assert(pthread_mutex_lock(&check) == 0 && pthread_mutex_lock(&check) == EDEADLK);
    assert(pthread_mutex_trylock(&check) == EBUSY);
    assert(pthread_mutex_lock(&plain) == 0);
    assert(pthread_mutex_destroy(&plain) == EBUSY);
    assert(pthread_mutex_consistent(&robust) == EINVAL);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
    assert(pthread_mutex_unlock(&robust) == EPERM);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_trylock(&robust) == EOWNERDEAD && pthread_mutex_unlock(&robust) == 0);
    assert(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_unlock(&rec) == 0);
    assert(pthread_mutex_unlock(&rec) == EPERM);
    assert(pthread_mutex_unlock(&check) == 0 && pthread_mutex_unlock(&plain) == 0);
    return pthread_mutex_destroy(&plain);
}
