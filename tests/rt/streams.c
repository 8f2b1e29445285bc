/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * flockfile over points while others print. */
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
static void *work(void *arg)
{
    for (int i = 0; i < 10; i++) {
        flockfile(stdout);
        printf("%ld ", (long)arg);
        sched_yield();
        printf("%d\n", i);
        funlockfile(stdout);
        puts("-");
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
