// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The opposite order of locks is used only once the other thread has said that it is ready:
// worth a note, not counted.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int n;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    sem_post(&ready);
    return arg;
}

static void *second(void *arg)
{
    sem_wait(&ready);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t x, y;
    sem_init(&ready, 0, 0);
    pthread_create(&x, NULL, first, NULL);
    pthread_create(&y, NULL, second, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return n != 2;
}
