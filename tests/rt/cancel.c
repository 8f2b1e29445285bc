/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Cancellation in a condition wait, a sleep, a join; cleanup handlers; states. */
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
static int cleaned, late;
static sem_t asked; /* cancellation has been asked for */

static void unlock(void *arg)
{
    W(cleaned, R(cleaned) + 1);
    pthread_mutex_unlock(arg);
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return arg;
}

static void *sleeps(void *arg)
{
    for (;;)
        sleep(1000);
    return arg;
}

static void *off(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    while (sem_wait(&asked) != 0)
        continue;
    W(late, 1);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    pthread_testcancel();
    W(late, 2);
    return arg;
}

static void check(void *(*start)(void *))
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, start, NULL);
    usleep(500);
    assert(pthread_cancel(t) == 0);
    sem_post(&asked);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
}

int main(void)
{
    sem_init(&asked, 0, 0);
    check(waits);
    assert(cleaned == 1 && pthread_mutex_trylock(&m) == 0);
    check(sleeps);
    while (sem_trywait(&asked) == 0)
        continue;
    check(off);
    assert(late == 1);
    return 0;
}
