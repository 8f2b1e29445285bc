// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include <stdlib.h>

void cache_init(struct cache *c, int (*load)(int key))
{
    pthread_mutex_init(&c->lock, NULL);
    for (int i = 0; i < CACHE_BUCKETS; i++)
        c->buckets[i] = NULL;
    c->entries = 0;
    c->load = load;
}

/* The lock is held. */
static struct entry *find(struct cache *c, int key)
{
    for (struct entry *e = c->buckets[key % CACHE_BUCKETS]; e; e = e->next)
        if (e->key == key)
            return e;
    return NULL;
}

/* The lock is held. */
static void insert(struct cache *c, int key, int value)
{
    struct entry *e = malloc(sizeof *e);
    if (!e)
        abort();
    *e = (struct entry){key, value, c->buckets[key % CACHE_BUCKETS]};
    c->buckets[key % CACHE_BUCKETS] = e;
    c->entries++;
}

int cache_get(struct cache *c, int key)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e) {
        int value = e->value;
        pthread_mutex_unlock(&c->lock);
        return value;
    }
    pthread_mutex_unlock(&c->lock);

    int value = c->load(key);
    pthread_mutex_lock(&c->lock);
    if (!find(c, key))
        insert(c, key, value);
    pthread_mutex_unlock(&c->lock);
    return value;
}

int cache_entries(struct cache *c)
{
    pthread_mutex_lock(&c->lock);
    int entries = c->entries;
    pthread_mutex_unlock(&c->lock);
    return entries;
}

void cache_done(struct cache *c)
{
    for (int i = 0; i < CACHE_BUCKETS; i++)
        while (c->buckets[i]) {
            struct entry *e = c->buckets[i];
            c->buckets[i] = e->next;
            free(e);
        }
    pthread_mutex_destroy(&c->lock);
}
