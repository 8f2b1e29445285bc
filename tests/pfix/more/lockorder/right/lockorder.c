// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: store.c journal.c
// Mended by hand: both take the store before the journal.
#include "store.h"

#include <stdio.h>

enum { INSERTS = 3 };

static struct journal journal = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct store store = {.lock = PTHREAD_MUTEX_INITIALIZER, .journal = &journal};

static void *inserter(void *unused)
{
    (void)unused;
    for (int i = 0; i < INSERTS; i++)
        store_insert(&store);
    return NULL;
}

static void *trimmer(void *unused)
{
    (void)unused;
    journal_trim(&journal, &store);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, inserter, NULL);
    pthread_create(&b, NULL, trimmer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d records, %d entries\n", store.records, journal.entries);
    return store.records == INSERTS ? 0 : 1;
}
