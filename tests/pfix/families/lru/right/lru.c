// SPDX-License-Identifier: Apache-2.0
#include "lru.h"

#define SHARD_LOCK(lru, key) pthread_mutex_lock(&(lru)->shard[(key) % SHARDS])
#define SHARD_UNLOCK(lru, key) pthread_mutex_unlock(&(lru)->shard[(key) % SHARDS])
#define LIST_LOCK(lru) pthread_mutex_lock(&(lru)->list)
#define LIST_UNLOCK(lru) pthread_mutex_unlock(&(lru)->list)
#define HEAD(lru) (&(lru)->head)
#define ENTRY(lru, k) (&(lru)->entries[(k) % ENTRIES])

static void list_remove(struct entry *e)
{
    e->prev->next = e->next;
    e->next->prev = e->prev;
}

static void list_push(struct entry *head, struct entry *e)
{
    e->next = head->next;
    e->prev = head;
    head->next->prev = e;
    head->next = e;
}

static void list_to_front(struct lru *lru, struct entry *e)
{
    list_remove(e);
    list_push(HEAD(lru), e);
}

void lru_init(struct lru *lru)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&lru->shard[i], NULL);
    pthread_mutex_init(&lru->list, NULL);
    HEAD(lru)->prev = HEAD(lru)->next = HEAD(lru);
    for (int k = 0; k < ENTRIES; k++) {
        ENTRY(lru, k)->key = k;
        ENTRY(lru, k)->value = 0;
        list_push(HEAD(lru), ENTRY(lru, k));
    }
}

int lru_get(struct lru *lru, int key)
{
    int value;

    SHARD_LOCK(lru, key);
    value = ENTRY(lru, key)->value;
    LIST_LOCK(lru);
    list_to_front(lru, ENTRY(lru, key));
    LIST_UNLOCK(lru);
    SHARD_UNLOCK(lru, key);
    return value;
}

void lru_put(struct lru *lru, int key, int value)
{
    struct entry *e = ENTRY(lru, key);

    SHARD_LOCK(lru, key);
    e->value = value;
    LIST_LOCK(lru);
    list_to_front(lru, e);
    LIST_UNLOCK(lru);
    SHARD_UNLOCK(lru, key);
}

/* Entries on the list, or -1 if its two directions differ. */
int lru_length(struct lru *lru)
{
    int forth = 0, back = 0;

    LIST_LOCK(lru);
    for (struct entry *e = HEAD(lru)->next; e != HEAD(lru) && forth <= ENTRIES; e = e->next)
        forth++;
    for (struct entry *e = HEAD(lru)->prev; e != HEAD(lru) && back <= ENTRIES; e = e->prev)
        back++;
    LIST_UNLOCK(lru);
    return forth == back ? forth : -1;
}
