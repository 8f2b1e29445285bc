// SPDX-License-Identifier: Apache-2.0
// The first of two producers says that no more will come; the consumer sleeps between looks. It
// misses what the slow producer brings only if it wakes while that one could run.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made, taken, closed;

static void *produce(void *argument)
{
    (void)argument;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        made++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consume(void *argument)
{
    (void)argument;
    for (int done = 0; !done;) {
        usleep(1000);
        pthread_mutex_lock(&lock);
        taken += made;
        made = 0;
        done = closed;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t producers[2], consumer;
    for (int i = 0; i < 2; i++)
        pthread_create(&producers[i], NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(producers[i], NULL);
    printf("%d\n", taken);
    return taken != 8;
}
