// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As its twin, mended by hand: both variables are set under one hold of a lock.
#include <pthread.h>
#include <stdio.h>

enum { WRITERS = 3 };

struct pair {
    pthread_mutex_t lock;
    int a, b;
};

static struct pair pair = {.lock = PTHREAD_MUTEX_INITIALIZER};
static const int values[WRITERS] = {1, 2, 3};

static void *writer(void *argument)
{
    int value = *(const int *)argument;
    pthread_mutex_lock(&pair.lock);
    pair.a = value;
    pair.b = value;
    pthread_mutex_unlock(&pair.lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, writer, (void *)&values[i]);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);

    if (pair.a != pair.b) {
        printf("a is %d, b is %d\n", pair.a, pair.b);
        return 1;
    }
    printf("consistent\n");
    return 0;
}
