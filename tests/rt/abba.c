/* SPDX-License-Identifier: Apache-2.0
 * expect: deadlock | exit 0
 * Two locks in two orders. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
GLOBAL(a)
GLOBAL(b)

static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    uint32_t depth = __heddle_enter(SITE(""));
    HERE();
    pthread_mutex_lock(x);
    HERE();
    pthread_mutex_lock(y);
    HERE();
    pthread_mutex_unlock(y);
    HERE();
    pthread_mutex_unlock(x);
    __heddle_leave(depth, SITE(""));
}

static void *work(void *arg)
{
    both(&b, &a);
    return arg;
}

int main(void)
{
    pthread_t t;
    uint32_t depth = __heddle_enter(SITE(""));
    HERE();
    pthread_create(&t, NULL, work, NULL);
    both(&a, &b);
    HERE();
    pthread_join(t, NULL);
    __heddle_leave(depth, SITE(""));
    return 0;
}
