// SPDX-License-Identifier: Apache-2.0
//~ fails: oracle
//~ options: --oracle 'grep -qx "count 5"'
// A shared state that is never changed but replaced by its successor. Five threads do that, and
// nothing says that the one they replace is the one they looked at.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 5 };

struct state {
    int number;
    int count;
};

static struct state *current;

static struct state *state_new(int number, int count)
{
    struct state *s = malloc(sizeof *s);
    if (!s)
        abort();
    s->number = number;
    s->count = count;
    return s;
}

/* The old state is left to whoever may still look at it. */
static void *step(void *unused)
{
    (void)unused;
    current = state_new(current->number * 2, current->count + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    current = state_new(1, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, step, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("count %d\n", current->count);
    return 0;
}
