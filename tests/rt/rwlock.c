/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Readers and writers; every variant and error code. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *reader(void *arg)
{
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_rdlock(&l);
        assert(R(a) == R(b));
        pthread_rwlock_unlock(&l);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_wrlock(&l);
        W(a, R(a) + 1);
        W(b, R(b) + 1);
        pthread_rwlock_unlock(&l);
    }
    return arg;
}

static void *others(void *arg)
{
    struct timespec past = {1, 0}, bad = {1, -1};
    assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
    assert(pthread_rwlock_trywrlock(&l) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&l, &past) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&l, &bad) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&l, 99, &past) == EINVAL);
    return arg;
}

int main(void)
{
    pthread_t t[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, i < 3 ? reader : writer, NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    assert(a == 100 && b == 100);
    pthread_rwlock_wrlock(&l);
    assert(pthread_rwlock_rdlock(&l) == EDEADLK && pthread_rwlock_wrlock(&l) == EDEADLK);
    pthread_create(&t[0], NULL, others, NULL);
    pthread_join(t[0], NULL);
    pthread_rwlock_unlock(&l);
    assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == 0);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    assert(pthread_rwlock_trywrlock(&l) == 0);
    pthread_rwlock_unlock(&l);
    return pthread_rwlock_destroy(&l);
}
