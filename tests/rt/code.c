/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 42
 * exit from another thread, with handlers that lock. */
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

static void handler(void)
{
    pthread_mutex_lock(&m);
    puts("bye");
    pthread_mutex_unlock(&m);
}

static void *work(void *arg)
{
    (void)arg;
    exit(42);
}

int main(void)
{
    pthread_t t;
    atexit(handler);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
