/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Rounds of a barrier: nobody is a round ahead, one is the serial thread. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 10 };
static pthread_barrier_t b;
static int at[THREADS], serial;

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        W(at[me], r);
        if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
            RMW_ADD(serial, 1);
        for (int i = 0; i < THREADS; i++)
            assert(R(at[i]) == r);
        pthread_barrier_wait(&b);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    assert(pthread_barrier_init(&b, NULL, 0) == EINVAL);
    pthread_barrier_init(&b, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(serial == ROUNDS);
    return pthread_barrier_destroy(&b);
}
