/* SPDX-License-Identifier: Apache-2.0
 * expect: assert
 * An assertion that fails in every schedule. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *work(void *arg)
{
    uint32_t depth = __heddle_enter(SITE(""));
    HERE();
    assert(arg == NULL);
    __heddle_leave(depth, SITE(""));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, &t);
    pthread_join(t, NULL);
    return 0;
}
