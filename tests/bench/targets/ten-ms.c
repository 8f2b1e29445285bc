/* SPDX-License-Identifier: Apache-2.0
 *
 * ten-ms: three threads that sort data of their own and add up what they find, under a lock:
 * about 10 ms natively. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 20, SIZE = 1500 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void sort(int *a, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++)
            for (int j = i; j >= gap && a[j - gap] > a[j]; j -= gap) {
                int other = a[j];
                a[j] = a[j - gap];
                a[j - gap] = other;
            }
}

static void *work(void *arg)
{
    unsigned seed = (unsigned)(long)arg;
    int *a = malloc(SIZE * sizeof *a);
    for (int round = 0; a && round < ROUNDS; round++) {
        for (int i = 0; i < SIZE; i++)
            a[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 1023);
        sort(a, SIZE);
        pthread_mutex_lock(&lock);
        sum += a[SIZE / 2];
        pthread_mutex_unlock(&lock);
    }
    free(a);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
