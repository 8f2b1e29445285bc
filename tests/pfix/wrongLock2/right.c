// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ options: --oracle 'grep -qx "count 5"'
// As wrongLock2.c, mended by hand: looking at the state and replacing it is one step, under a
// lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 5 };

struct state {
    int number;
    int count;
};

static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;
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

static void *step(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&current_lock);
    struct state *old = current;
    current = state_new(old->number * 2, old->count + 1);
    free(old);
    pthread_mutex_unlock(&current_lock);
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
