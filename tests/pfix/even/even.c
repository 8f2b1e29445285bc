// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
// A generator of even numbers counts up by one twice. Four threads take a hundred each and give
// up as soon as they get an odd one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TAKEN = 100 };

struct generator {
    int current;
};

static struct generator generator;

static int generator_next(struct generator *g)
{
    ++g->current;
    ++g->current;
    return g->current;
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
