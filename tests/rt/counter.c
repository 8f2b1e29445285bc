/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0. Four threads count under one mutex; every second one also without. */
#include "hooks.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long safe, racy;
GLOBAL(m)
GLOBAL(safe)
GLOBAL(racy)

static void *work(void *arg)
{
    uint32_t depth = __heddle_enter(SITE(""));
    for (int i = 0; i < 200; i++) {
        HERE();
        pthread_mutex_lock(&m);
        W(safe, R(safe) + 1);
        HERE();
        pthread_mutex_unlock(&m);
        W(racy, R(racy) + 1);
    }
    __heddle_leave(depth, SITE(""));
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++) {
        HERE();
        pthread_create(&t[i], NULL, work, (void *)i);
    }
    for (long i = 0; i < 4; i++) {
        void *result;
        HERE();
        pthread_join(t[i], &result);
        assert(result == (void *)i);
    }
    assert(R(safe) == 800);
    HERE();
    printf("safe %ld racy %ld\n", R(safe), R(racy));
    return 0;
}
