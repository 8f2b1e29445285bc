// SPDX-License-Identifier: Apache-2.0
#ifndef IMGCACHE_H
#define IMGCACHE_H

#include <stddef.h>

struct image {
    char name[12];
    int refs;
    size_t bytes;
    unsigned char *pixels;
    struct image *next;
};

int cache_load(const char *name, size_t bytes, unsigned char fill);
void cache_alias(const char *alias, const char *name);

/* An image with this name or alias, for its user until cache_put; NULL: there is none. */
struct image *cache_get(const char *name);
void cache_put(struct image *img);

/* Frees what nobody uses; says how many bytes that were. */
size_t cache_evict(void);

unsigned image_sum(const struct image *img);

#endif
