/* SPDX-License-Identifier: Apache-2.0
 * expect: deadlock
 * A normal mutex locked twice by its owner. */
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
GLOBAL(m)

int main(void)
{
    HERE();
    pthread_mutex_lock(&m);
    HERE();
    pthread_mutex_lock(&m);
    return 0;
}
