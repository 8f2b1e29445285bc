// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As reorder2.c, mended by hand: both numbers are set under one hold of the lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { SETTERS = 4 };

struct pair {
    pthread_mutex_t lock;
    int a, b;
};

struct setter {
    struct pair *pair;
    int value;
};

static struct pair pair = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void pair_set(struct pair *p, int value)
{
    pthread_mutex_lock(&p->lock);
    p->a = value;
    p->b = -value;
    pthread_mutex_unlock(&p->lock);
}

static void *set(void *argument)
{
    struct setter *s = argument;
    pair_set(s->pair, s->value);
    return NULL;
}

static void *check(void *argument)
{
    struct pair *p = argument;
    assert(p->a + p->b == 0);
    return NULL;
}

int main(void)
{
    struct setter setters[SETTERS];
    pthread_t threads[SETTERS], checker;
    for (int i = 0; i < SETTERS; i++) {
        setters[i] = (struct setter){&pair, i + 1};
        pthread_create(&threads[i], NULL, set, &setters[i]);
    }
    for (int i = 0; i < SETTERS; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&checker, NULL, check, &pair);
    pthread_join(checker, NULL);
    printf("opposites\n");
    return 0;
}
