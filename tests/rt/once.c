/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Once: one runs, the others wait for it. */
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
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void routine(void)
{
    W(runs, R(runs) + 1);
    sched_yield();
    W(runs, R(runs) + 1);
}

static void *work(void *arg)
{
    pthread_once(&once, routine);
    assert(R(runs) == 2);
    return arg;
}

int main(void)
{
    pthread_t t[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    return 0;
}
