// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised A B
// The semaphore may be posted before it is initialised, and the post is lost.
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *poster(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    sem_post(&s); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, poster, NULL);
    sem_init(&s, 0, 1); //~ B
    sem_wait(&s);
    pthread_join(t, NULL);
    sem_destroy(&s);
    return 0;
}
