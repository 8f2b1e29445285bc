/* SPDX-License-Identifier: Apache-2.0
 *
 * map: u64 -> u32, open addressing. Zero-initialised is empty. Iteration order is never
 * offered, so no hash order can reach a file or a screen. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX /* no such id; as a value it means "absent" */

struct map_slot {
    uint64_t key;
    uint32_t value; /* NONE: free */
    uint32_t pad;
};

struct map {
    struct map_slot *at; /* owned */
    uint32_t len, cap;   /* cap is 0 or a power of two */
};

static inline uint64_t hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ULL;
    return x ^ (x >> 29);
}

uint64_t hash_bytes(const void *bytes, size_t len);

/* The slot of key with value NONE if it was absent; valid until the next call. */
uint32_t *map_at(struct map *m, uint64_t key);
void map_remove(struct map *m, uint64_t key);
void map_done(struct map *m);

static inline uint32_t map_find(const struct map *m, uint64_t key)
{
    if (!m->cap)
        return NONE;
    for (uint32_t i = (uint32_t)hash_u64(key) & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
        if (m->at[i].value == NONE)
            return NONE;
        if (m->at[i].key == key)
            return m->at[i].value;
    }
}

#endif
