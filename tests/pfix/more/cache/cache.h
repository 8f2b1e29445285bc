// SPDX-License-Identifier: Apache-2.0
// A cache of values by key; loading one is slow.
#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>

enum { CACHE_BUCKETS = 4 };

struct entry {
    int key, value;
    struct entry *next;
};

struct cache {
    pthread_mutex_t lock;
    struct entry *buckets[CACHE_BUCKETS];
    int entries;
    int (*load)(int key);
};

void cache_init(struct cache *c, int (*load)(int key));
int cache_get(struct cache *c, int key);
int cache_entries(struct cache *c);
void cache_done(struct cache *c);

#endif
