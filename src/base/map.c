/* SPDX-License-Identifier: Apache-2.0
 *
 * map: see map.h. Linear probing, at most half full, deletion by shifting back. */
#include "base/map.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 16 };

uint64_t hash_bytes(const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    uint64_t h = len * 0x9e3779b97f4a7c15ULL;
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = hash_u64(h ^ word);
    }
    uint64_t tail = 0;
    if (len) /* no bytes may be no pointer at all */
        memcpy(&tail, p, len);
    return hash_u64(h ^ tail);
}

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
    uint32_t i = (uint32_t)hash_u64(key) & (m->cap - 1);
    while (m->at[i].value != NONE && m->at[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->at[i];
}

static void map_grow(struct map *m)
{
    struct map old = *m;
    m->cap = old.cap ? old.cap * 2 : CAP_FIRST;
    m->at = mem_get(sizeof *m->at * m->cap);
    memset(m->at, 0xff, sizeof *m->at * m->cap);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.at[i].value != NONE)
            *slot_of(m, old.at[i].key) = old.at[i];
    free(old.at);
}

/* A new key is counted at once although its value is still NONE: the caller must set it
 * before the next call, or the slot stays free and the count errs on the safe side. */
uint32_t *map_at(struct map *m, uint64_t key)
{
    if (2 * (m->len + 1) > m->cap)
        map_grow(m);
    struct map_slot *s = slot_of(m, key);
    if (s->value == NONE) {
        s->key = key;
        m->len++;
    }
    return &s->value;
}

void map_remove(struct map *m, uint64_t key)
{
    if (!m->cap)
        return;
    struct map_slot *s = slot_of(m, key);
    if (s->value == NONE)
        return;
    uint32_t mask = m->cap - 1, hole = (uint32_t)(s - m->at);
    for (uint32_t i = (hole + 1) & mask; m->at[i].value != NONE; i = (i + 1) & mask) {
        uint32_t home = (uint32_t)hash_u64(m->at[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->at[hole] = m->at[i];
            hole = i;
        }
    }
    m->at[hole].value = NONE;
    m->len--;
}

void map_done(struct map *m)
{
    free(m->at);
    *m = (struct map){0};
}
