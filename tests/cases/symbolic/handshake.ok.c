// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The value is whole in the section that wakes.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int value, ready;

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    value = 1;
    ready = 1;
    pthread_cond_signal(&c);
    value = 2;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    assert(value == 2);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
