/* SPDX-License-Identifier: Apache-2.0
 * expect: deadlock | exit 0
 * The signal comes before the wait, which has no predicate. */
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
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
GLOBAL(c)

static void *work(void *arg)
{
    HERE();
    pthread_mutex_lock(&m);
    HERE();
    pthread_cond_signal(&c);
    HERE();
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    HERE();
    pthread_create(&t, NULL, work, NULL);
    HERE();
    pthread_mutex_lock(&m);
    HERE();
    pthread_cond_wait(&c, &m);
    HERE();
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
