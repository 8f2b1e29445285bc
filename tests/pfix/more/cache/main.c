// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
//~ with: cache.c
// Three readers ask a cache for the same few keys. It looks whether it has a key, lets go of
// the lock to load it, and puts it in without looking again: a key may be in it twice.
#include "cache.h"

#include <stdio.h>

enum { READERS = 3, KEYS = 2 };

static struct cache cache;

static int load(int key)
{
    return key * 100;
}

static void *reader(void *unused)
{
    (void)unused;
    for (int key = 1; key <= KEYS; key++)
        if (cache_get(&cache, key) != key * 100)
            return &cache;
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS];
    cache_init(&cache, load);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    int entries = cache_entries(&cache);
    cache_done(&cache);
    printf("%d entries\n", entries);
    return entries == KEYS ? 0 : 1;
}
