// SPDX-License-Identifier: Apache-2.0
// A cache in shards, with one list of all entries, the one used last in front.
#ifndef LRU_H
#define LRU_H

#include <pthread.h>

#define SHARDS 2
#define ENTRIES 4

struct entry {
    struct entry *prev, *next;
    int key;
    int value;
};

struct lru {
    pthread_mutex_t shard[SHARDS];
    pthread_mutex_t list;
    struct entry head; /* of the ring of entries by use */
    struct entry entries[ENTRIES];
};

void lru_init(struct lru *lru);
int lru_get(struct lru *lru, int key);
void lru_put(struct lru *lru, int key, int value);
int lru_length(struct lru *lru);

#endif
