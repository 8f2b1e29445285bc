/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * main leaves by pthread_exit; the last thread ends the process. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_t first;

static void *work(void *arg)
{
    pthread_join(first, NULL);
    puts("last");
    return arg;
}

int main(void)
{
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
