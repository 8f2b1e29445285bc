/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Waiting loops on plain and atomic flags; the setter sleeps, or waits its turn. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int flag;
static int ready;

static void *setter(void *arg)
{
    sleep(1);
    W(flag, 1);
    while (!LOAD(ready))
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    while (BRANCH(!R(flag)))
        ;
    STORE(ready, 1);
    pthread_join(t, NULL);
    return 0;
}
