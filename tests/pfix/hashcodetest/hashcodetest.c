// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// A range of numbers that computes its hash code when it is first asked for and keeps it. The
// code is built up in the very place where it is kept, so that another thread may take a half
// built one for it. Ten threads ask, and all of them must get the same answer.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKERS = 10, SEED = 17, FACTOR = 37, CLASS_HASH = 9041 };

struct range {
    int min, max;
    unsigned hash; /* 0: not yet computed */
};

struct asker {
    struct range *range;
    unsigned answer;
};

static struct range *range_new(int one, int other)
{
    struct range *r = malloc(sizeof *r);
    if (!r)
        abort();
    r->min = one < other ? one : other;
    r->max = one < other ? other : one;
    r->hash = 0;
    return r;
}

static int range_contains(const struct range *r, int number)
{
    return r->min <= number && number <= r->max;
}

static int range_overlaps(const struct range *r, const struct range *other)
{
    return range_contains(other, r->min) || range_contains(other, r->max) ||
           range_contains(r, other->min);
}

static int range_equals(const struct range *r, const struct range *other)
{
    return r->min == other->min && r->max == other->max;
}

static unsigned range_hash(struct range *r)
{
    if (r->hash == 0) {
        r->hash = SEED;
        r->hash = FACTOR * r->hash + CLASS_HASH;
        r->hash = FACTOR * r->hash + (unsigned)r->min;
        r->hash = FACTOR * r->hash + (unsigned)r->max;
    }
    return r->hash;
}

static void *ask(void *argument)
{
    struct asker *a = argument;
    a->answer = range_hash(a->range);
    return NULL;
}

/* What does not depend on threads. */
static int range_works(const struct range *r)
{
    struct range *same = range_new(r->max, r->min), *far = range_new(1000, 2000);
    int works = range_equals(r, same) && range_overlaps(r, same) && !range_overlaps(r, far) &&
                range_contains(r, r->min) && !range_contains(r, 1500);
    free(same);
    free(far);
    return works;
}

int main(void)
{
    struct range *range = range_new(20, 10);
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    if (!range_works(range))
        return 2;

    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.range = range};
        pthread_create(&threads[i], NULL, ask, &askers[i]);
    }
    for (int i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);

    int different = 0;
    for (int i = 1; i < ASKERS; i++)
        different += askers[i].answer != askers[0].answer;
    printf("%d different\n", different);
    free(range);
    return different ? 1 : 0;
}
