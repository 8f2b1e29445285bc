/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Bounded queue, two producers, two consumers. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4, ITEMS = 60 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slots[SLOTS], first, count, sum;
GLOBAL(count)
GLOBAL(sum)

static void *produce(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        HERE();
        pthread_mutex_lock(&m);
        while (BRANCH(R(count) == SLOTS)) {
            HERE();
            pthread_cond_wait(&not_full, &m);
        }
        W(slots[(R(first) + R(count)) % SLOTS], i);
        W(count, R(count) + 1);
        HERE();
        pthread_cond_signal(&not_empty);
        HERE();
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        HERE();
        pthread_mutex_lock(&m);
        while (BRANCH(R(count) == 0)) {
            HERE();
            pthread_cond_wait(&not_empty, &m);
        }
        W(sum, R(sum) + R(slots[R(first)]));
        W(first, (R(first) + 1) % SLOTS);
        W(count, R(count) - 1);
        HERE();
        pthread_cond_broadcast(&not_full);
        HERE();
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(sum == ITEMS * (ITEMS + 1));
    return 0;
}
