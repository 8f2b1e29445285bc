/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * C11 threads. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, inits, gone;

static void init(void)
{
    W(inits, R(inits) + 1);
}

static void destroy(void *arg)
{
    (void)arg;
    RMW_ADD(gone, 1);
}

static int work(void *arg)
{
    call_once(&once, init);
    tss_set(key, arg);
    mtx_lock(&m);
    W(ready, R(ready) + 1);
    cnd_signal(&c);
    mtx_unlock(&m);
    thrd_yield();
    if (arg == (void *)3)
        thrd_exit(33);
    return (int)(long)arg;
}

int main(void)
{
    thrd_t t[4];
    int result;
    struct timespec when = {1, 0}, nap = {0, 1000};
    assert(mtx_init(&m, mtx_timed) == thrd_success && cnd_init(&c) == thrd_success);
    tss_create(&key, destroy);
    mtx_lock(&m);
    assert(cnd_timedwait(&c, &m, &when) == thrd_timedout);
    mtx_unlock(&m);
    for (long i = 1; i <= 4; i++)
        assert(thrd_create(&t[i - 1], work, (void *)i) == thrd_success);
    mtx_lock(&m);
    while (R(ready) < 4)
        cnd_wait(&c, &m);
    assert(mtx_trylock(&m) == thrd_busy && mtx_timedlock(&m, &when) == thrd_timedout);
    mtx_unlock(&m);
    for (int i = 1; i <= 4; i++) {
        assert(thrd_join(t[i - 1], &result) == thrd_success);
        assert(result == (i == 3 ? 33 : i));
    }
    assert(inits == 1 && gone == 4 && thrd_sleep(&nap, NULL) == 0);
    mtx_destroy(&m);
    cnd_destroy(&c);
    return 0;
}
