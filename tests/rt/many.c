/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Two hundred threads at once, and as many one after the other. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 200 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *arg)
{
    char *p = malloc((size_t)(long)arg + 100);
    *p = 1;
    pthread_mutex_lock(&m);
    W(x, R(x) + *p);
    pthread_mutex_unlock(&m);
    free(p);
    return arg;
}

int main(void)
{
    pthread_t t[MANY];
    for (long i = 0; i < MANY; i++)
        assert(pthread_create(&t[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < MANY; i++)
        pthread_join(t[i], NULL);
    for (long i = 0; i < MANY; i++) {
        pthread_create(&t[0], NULL, work, (void *)i);
        pthread_join(t[0], NULL);
    }
    assert(x == 2 * MANY);
    return 0;
}
