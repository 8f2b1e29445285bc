/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * A try-lock loop and a spin lock. */
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
static pthread_spinlock_t s;
static int x, y;

static void *work(void *arg)
{
    for (int i = 0; i < 40; i++) {
        HERE();
        while (pthread_mutex_trylock(&m) == EBUSY)
            BRANCH(1);
        W(x, R(x) + 1);
        pthread_mutex_unlock(&m);
        pthread_spin_lock(&s);
        W(y, R(y) + 1);
        pthread_spin_unlock(&s);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_spin_init(&s, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_spin_lock(&s);
    assert(pthread_spin_trylock(&s) == EBUSY);
    pthread_spin_unlock(&s);
    assert(x == 120 && y == 120);
    return pthread_spin_destroy(&s);
}
