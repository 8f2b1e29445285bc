// SPDX-License-Identifier: Apache-2.0
// Two producers; each says at its end that no more will come, and the first one is believed.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int made, taken, closed;

static void *produce(void *argument)
{
    (void)argument;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        made++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consume(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (made == 0 && !closed)
            pthread_cond_wait(&changed, &lock);
        if (made == 0)
            break;
        made--;
        taken++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producers[2], consumer;
    for (int i = 0; i < 2; i++)
        pthread_create(&producers[i], NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(producers[i], NULL);
    pthread_join(consumer, NULL);
    printf("%d\n", taken);
    return taken != 6;
}
