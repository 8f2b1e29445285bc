// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As even.c, mended by hand: the generator has a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TAKEN = 100 };

struct generator {
    pthread_mutex_t lock;
    int current;
};

static struct generator generator = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int generator_next(struct generator *g)
{
    pthread_mutex_lock(&g->lock);
    ++g->current;
    ++g->current;
    int value = g->current;
    pthread_mutex_unlock(&g->lock);
    return value;
}

static void *taker(void *argument)
{
    struct generator *g = argument;
    for (int i = 0; i < TAKEN; i++) {
        int value = generator_next(g);
        if (value % 2 != 0) {
            fprintf(stderr, "%d is not even\n", value);
            abort();
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, taker, &generator);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("all even\n");
    return 0;
}
