/* SPDX-License-Identifier: Apache-2.0
 *
 * mutex: four threads count under one lock. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 200000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", counter);
    return counter != (long)THREADS * ROUNDS;
}
