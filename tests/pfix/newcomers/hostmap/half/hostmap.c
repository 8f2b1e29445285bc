// SPDX-License-Identifier: Apache-2.0
#include "hostmap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shard {
    pthread_mutex_t mu;
    struct host *hosts;
    int used;
};

static struct shard shards[SHARDS] = {
    {PTHREAD_MUTEX_INITIALIZER, NULL, 0},
    {PTHREAD_MUTEX_INITIALIZER, NULL, 0},
};

#define SHARD_LOCK(s) pthread_mutex_lock(&(s)->mu)
#define SHARD_UNLOCK(s) pthread_mutex_unlock(&(s)->mu)

static struct shard *shard_of(const char *name)
{
    unsigned hash = 0;
    while (*name)
        hash += (unsigned char)*name++;
    return &shards[hash % SHARDS];
}

static struct host **slot_of(struct shard *s, const char *name)
{
    struct host **at = &s->hosts;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static void push(struct shard *s, struct host *h)
{
    h->next = s->hosts;
    s->hosts = h;
    s->used++;
}

int hostmap_add(const char *name, int address)
{
    struct host *h = calloc(1, sizeof *h);
    if (!h)
        return -1;
    snprintf(h->name, sizeof h->name, "%s", name);
    h->address = address;

    struct shard *s = shard_of(name);
    SHARD_LOCK(s);
    if (*slot_of(s, name)) {
        SHARD_UNLOCK(s);
        free(h);
        return -1;
    }
    push(s, h);
    SHARD_UNLOCK(s);
    return 0;
}

int hostmap_find(const char *name)
{
    struct shard *s = shard_of(name);
    int address = -1;
    SHARD_LOCK(s);
    struct host *h = *slot_of(s, name);
    if (h)
        address = h->address;
    SHARD_UNLOCK(s);
    return address;
}

int hostmap_rename(const char *name, const char *to)
{
    struct shard *old = shard_of(name);
    struct shard *new = shard_of(to);

    SHARD_LOCK(old);
    struct host **at = slot_of(old, name);
    struct host *h = *at;
    if (!h) {
        SHARD_UNLOCK(old);
        return -1;
    }
    *at = h->next;
    old->used--;
    SHARD_UNLOCK(old);
    snprintf(h->name, sizeof h->name, "%s", to);
    SHARD_LOCK(new);
    push(new, h);
    SHARD_UNLOCK(new);
    return 0;
}

int hostmap_count(void)
{
    int sum = 0;
    for (int i = 0; i < SHARDS; i++)
        SHARD_LOCK(&shards[i]);
    for (int i = 0; i < SHARDS; i++)
        sum += shards[i].used;
    for (int i = SHARDS - 1; i >= 0; i--)
        SHARD_UNLOCK(&shards[i]);
    return sum;
}

void hostmap_clear(void)
{
    for (int i = 0; i < SHARDS; i++) {
        struct host *h = shards[i].hosts;
        while (h) {
            struct host *next = h->next;
            free(h);
            h = next;
        }
        shards[i].hosts = NULL;
        shards[i].used = 0;
    }
}
