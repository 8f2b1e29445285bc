// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who has a lock may try, or read several times; a recursive mutex counts.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int total;

static void *thread(void *arg)
{
    pthread_rwlock_wrlock(&l);
    total += pthread_rwlock_trywrlock(&l) == EBUSY;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return total != 2;
}
