// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include <stdlib.h>

struct tally *tally_new(const char *name)
{
    struct tally *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->name = name;
    t->sum = 0;
    t->count = 0;
    return t;
}

void tally_add(struct tally *t, long value)
{
    pthread_mutex_lock(&t->lock);
    t->sum += value;
    t->count++;
    pthread_mutex_unlock(&t->lock);
}

long tally_mean(struct tally *t)
{
    pthread_mutex_lock(&t->lock);
    long mean = t->count ? t->sum / t->count : 0;
    pthread_mutex_unlock(&t->lock);
    return mean;
}

void tally_free(struct tally *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t);
}
