// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
// Four setters set a number and its opposite, each under the lock, but not both under the same
// hold of it; then a checker looks whether they still are opposites.
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

static void pair_set_a(struct pair *p, int value)
{
    pthread_mutex_lock(&p->lock);
    p->a = value;
    pthread_mutex_unlock(&p->lock);
}

static void pair_set_b(struct pair *p, int value)
{
    pthread_mutex_lock(&p->lock);
    p->b = value;
    pthread_mutex_unlock(&p->lock);
}

static void *set(void *argument)
{
    struct setter *s = argument;
    pair_set_a(s->pair, s->value);
    pair_set_b(s->pair, -s->value);
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
