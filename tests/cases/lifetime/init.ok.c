// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Initialised before the thread is there, once, or before a flag says so under a lock.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m, late, gate = PTHREAD_MUTEX_INITIALIZER, made;
static pthread_cond_t open = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
static int ready, n;

static void make(void)
{
    pthread_mutex_init(&made, NULL);
}

static void *user(void *arg)
{
    pthread_once(&once, make);
    pthread_mutex_lock(&made);
    n++;
    pthread_mutex_unlock(&made);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    sem_post(&s);
    pthread_mutex_lock(&gate);
    while (!ready)
        pthread_cond_wait(&open, &gate);
    pthread_mutex_unlock(&gate);
    pthread_mutex_lock(&late);
    pthread_mutex_unlock(&late);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_mutex_init(&m, NULL);
    sem_init(&s, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, NULL);
    pthread_mutex_init(&late, NULL);
    pthread_mutex_lock(&gate);
    ready = 1;
    pthread_cond_broadcast(&open);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 2; i++)
        sem_wait(&s);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_destroy(&m);
    pthread_mutex_destroy(&late);
    sem_destroy(&s);
    return 0;
}
