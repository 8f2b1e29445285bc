// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The result is waited for before the lock is taken.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int result;

static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    result = 42;
    pthread_mutex_unlock(&m);
    sem_post(&ready);
    return unused;
}

int main(void)
{
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    sem_wait(&ready);
    pthread_mutex_lock(&m);
    int seen = result;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return seen != 42;
}
