// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Locks end when they are free: by who did not use them last, and again after a new beginning.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m;
static pthread_barrier_t b;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        return &b;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&b, NULL, 2);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_init(&m, NULL);
        pthread_create(&t, NULL, thread, NULL);
        pthread_barrier_wait(&b);
        pthread_join(t, NULL);
        pthread_mutex_destroy(&m);
    }
    pthread_barrier_destroy(&b);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_t *heap = malloc(sizeof *heap), stack;
        pthread_mutex_init(heap, NULL);
        pthread_mutex_init(&stack, NULL);
        pthread_mutex_lock(heap);
        pthread_mutex_lock(&stack);
        pthread_mutex_unlock(&stack);
        pthread_mutex_unlock(heap);
        free(heap);
    }
    return 0;
}
