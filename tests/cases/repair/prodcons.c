// SPDX-License-Identifier: Apache-2.0
// A queue whose waits are in an if: two consumers are woken for one item.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 2, ITEMS = 6 };

static int queue[SIZE];
static int head, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

static void put(int x)
{
    pthread_mutex_lock(&lock);
    if (count == SIZE)
        pthread_cond_wait(&not_full, &lock);
    queue[(head + count) % SIZE] = x;
    count++;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    if (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    if (count == 0)
        abort(); /* nothing there */
    int x = queue[head];
    head = (head + 1) % SIZE;
    count--;
    pthread_cond_broadcast(&not_full);
    pthread_mutex_unlock(&lock);
    return x;
}

static void *producer(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return NULL;
}

static void *consumer(void *sum)
{
    for (int i = 0; i < ITEMS / 2; i++)
        *(int *)sum += get();
    return NULL;
}

int main(void)
{
    pthread_t p, c1, c2;
    int a = 0, b = 0;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c1, NULL, consumer, &a);
    pthread_create(&c2, NULL, consumer, &b);
    pthread_join(p, NULL);
    pthread_join(c1, NULL);
    pthread_join(c2, NULL);
    printf("%d\n", a + b);
    return a + b == 15 ? 0 : 1;
}
