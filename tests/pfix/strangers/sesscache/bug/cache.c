// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct entry {
    char name[8];
    int value;
    int uses;
};

struct cache {
    pthread_rwlock_t rw;
    struct entry entries[3];
    int count;
    int hits;
};

static struct cache cache = {.rw = PTHREAD_RWLOCK_INITIALIZER};

static void cache_add(struct cache *c, const char *name, int value)
{
    pthread_rwlock_wrlock(&c->rw);
    struct entry *e = &c->entries[c->count];
    strncpy(e->name, name, sizeof e->name - 1);
    e->value = value;
    c->count++;
    pthread_rwlock_unlock(&c->rw);
}

static int cache_find(struct cache *c, const char *name, int missing)
{
    pthread_rwlock_rdlock(&c->rw);
    for (int i = 0; i < c->count; i++) {
        struct entry *e = &c->entries[i];
        if (strcmp(e->name, name) != 0)
            continue;
        int value = e->value;
        e->uses++;
        c->hits++;
        pthread_rwlock_unlock(&c->rw);
        return value;
    }
    pthread_rwlock_unlock(&c->rw);
    return missing;
}

static void *client(void *arg)
{
    int *sum = arg;
    *sum += cache_find(&cache, "ann", -1);
    *sum += cache_find(&cache, "bob", -1);
    *sum += cache_find(&cache, "zoe", 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sums[2] = {0, 0};
    cache_add(&cache, "ann", 1);
    cache_add(&cache, "bob", 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, client, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (cache.hits != 4 || cache.entries[0].uses + cache.entries[1].uses != 4) {
        fprintf(stderr, "hits %d, uses %d %d\n", (int)cache.hits, (int)cache.entries[0].uses,
                (int)cache.entries[1].uses);
        return 1;
    }
    return sums[0] == 3 && sums[1] == 3 ? 0 : 2;
}
