/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Detached by attribute, by call, by itself; codes of join. */
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
static sem_t done;
static int sum;

static void *work(void *arg)
{
    RMW_ADD(sum, (int)(long)arg);
    sem_post(&done);
    return arg;
}

static void *quick(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t a;
    sem_init(&done, 0, 0);
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    for (long i = 1; i <= 20; i++) {
        pthread_create(&t, i & 1 ? &a : NULL, work, (void *)i);
        if (!(i & 1))
            assert(pthread_detach(t) == 0);
    }
    for (int i = 0; i < 20; i++)
        sem_wait(&done);
    assert(sum == 210);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    pthread_create(&t, NULL, quick, NULL);
    while (pthread_tryjoin_np(t, NULL) == EBUSY)
        sched_yield();
    struct timespec when;
    pthread_create(&t, NULL, quick, (void *)7);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec++;
    void *result;
    int e;
    while ((e = pthread_timedjoin_np(t, &result, &when)) ==
           ETIMEDOUT) /* the policy may say so */
        when.tv_sec++;
    assert(e == 0 && result == (void *)7);
    return 0;
}
