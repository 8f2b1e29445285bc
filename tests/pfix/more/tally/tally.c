// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include <stdlib.h>

struct tally *tally_new(const char *name)
{
    struct tally *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->name = name;
    t->sum = 0;
    t->count = 0;
    return t;
}

void tally_add(struct tally *t, long value)
{
    t->sum += value;
    t->count++;
}

long tally_mean(struct tally *t)
{
    return t->count ? t->sum / t->count : 0;
}

void tally_free(struct tally *t)
{
    free(t);
}
