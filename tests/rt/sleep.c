/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0 | assert
 * Sleepers wake in order, unless a policy wants otherwise; a busy loop sees time
 * pass. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int order[4], next;

static void *work(void *arg)
{
    long ms = (long)arg;
    usleep((unsigned)ms * 100000);
    W(order[R(next)], (int)ms);
    W(next, R(next) + 1);
    return NULL;
}

static volatile int stop, loops;

static void *busy(void *arg)
{
    while (!R(stop))
        W(loops, R(loops) + 1);
    return arg;
}

int main(void)
{
    pthread_t t[4], b;
    static const long times[] = {3, 1, 4, 2};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)times[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++)
        assert(order[i] == i + 1);
    time_t begin = time(NULL);
    while (time(NULL) < begin + 1)
        ;
    pthread_create(&b, NULL, busy, NULL);
    usleep(20000);
    W(stop, 1);
    pthread_join(b, NULL);
    assert(loops > 0);
    return 0;
}
