/* SPDX-License-Identifier: Apache-2.0
 * expect: livelock
 * Both wait for the other's flag. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int f, g;

static void *work(void *arg)
{
    while (BRANCH(!R(f)))
        ;
    W(g, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (BRANCH(!R(g)))
        ;
    W(f, 1);
    pthread_join(t, NULL);
    return 0;
}
