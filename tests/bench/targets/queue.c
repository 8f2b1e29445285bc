/* SPDX-License-Identifier: Apache-2.0
 *
 * queue: two threads put numbers into a bounded queue, two take them out. */
#include <pthread.h>
#include <stdio.h>

enum { PAIRS = 2, ITEMS = 200000, ROOM = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long items[ROOM];
static unsigned head, count;
static long sums[PAIRS];

static void put(long item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    items[(head + count++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static long take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    long item = items[head];
    head = (head + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *producer(void *arg)
{
    for (long i = 1; i <= ITEMS; i++)
        put(i);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        *(long *)arg += take();
    return arg;
}

int main(void)
{
    pthread_t in[PAIRS], out[PAIRS];
    long sum = 0;
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&in[i], NULL, producer, NULL);
        pthread_create(&out[i], NULL, consumer, &sums[i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(in[i], NULL);
        pthread_join(out[i], NULL);
        sum += sums[i];
    }
    printf("%ld\n", sum);
    return sum != PAIRS * (ITEMS * (ITEMS + 1L) / 2);
}
