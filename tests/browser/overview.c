/* SPDX-License-Identifier: Apache-2.0
 *
 * Five threads that take three locks in turn, a read lock now and then, and wake main: a run
 * of 100,000 events. */
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>
static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t *own;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static long counts[3], ready;
static void *work(void *arg)
{
    long me = (long)arg;
    for (long i = 0; i < 3000; i++) {
        pthread_mutex_lock(&locks[i % 3]);
        counts[i % 3]++;
        if (i % 7 == me) {
            pthread_rwlock_rdlock(&table);
            counts[0] += ready;
            pthread_rwlock_unlock(&table);
        }
        pthread_mutex_unlock(&locks[i % 3]);
        if (i % 50 == 0) {
            pthread_mutex_lock(own);
            ready++;
            pthread_cond_signal(&some);
            pthread_mutex_unlock(own);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t t[5];
    own = malloc(sizeof *own);
    pthread_mutex_init(own, 0);
    for (long i = 0; i < 5; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    pthread_mutex_lock(own);
    while (ready < 20)
        pthread_cond_wait(&some, own);
    pthread_mutex_unlock(own);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], 0);
    return 0;
}
