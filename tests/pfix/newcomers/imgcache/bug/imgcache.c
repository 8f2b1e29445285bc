// SPDX-License-Identifier: Apache-2.0
#include "imgcache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    char from[12];
    char to[12];
};

static pthread_mutex_t cache_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;
static struct alias aliases[4];
static int n_aliases;

static void cache_lock(void)
{
    pthread_mutex_lock(&cache_mutex);
}

static void cache_unlock(void)
{
    pthread_mutex_unlock(&cache_mutex);
}

static struct image *find(const char *name)
{
    for (struct image *i = images; i; i = i->next)
        if (strcmp(i->name, name) == 0)
            return i;
    return NULL;
}

static const char *resolve(const char *name)
{
    for (int i = 0; i < n_aliases; i++)
        if (strcmp(aliases[i].from, name) == 0)
            return aliases[i].to;
    return NULL;
}

int cache_load(const char *name, size_t bytes, unsigned char fill)
{
    struct image *img = calloc(1, sizeof *img);
    if (!img)
        return -1;
    img->pixels = malloc(bytes);
    if (!img->pixels) {
        free(img);
        return -1;
    }
    memset(img->pixels, fill, bytes);
    img->bytes = bytes;
    snprintf(img->name, sizeof img->name, "%s", name);

    cache_lock();
    img->next = images;
    images = img;
    cache_unlock();
    return 0;
}

void cache_alias(const char *alias, const char *name)
{
    cache_lock();
    if (n_aliases < 4) {
        snprintf(aliases[n_aliases].from, sizeof aliases[0].from, "%s", alias);
        snprintf(aliases[n_aliases].to, sizeof aliases[0].to, "%s", name);
        n_aliases++;
    }
    cache_unlock();
}

struct image *cache_get(const char *name)
{
    cache_lock();
    struct image *img = find(name);
    if (!img) {
        const char *other = resolve(name);
        img = other ? find(other) : NULL;
        cache_unlock();
        return img;
    }
    img->refs++;
    cache_unlock();
    return img;
}

void cache_put(struct image *img)
{
    if (!img)
        return;
    cache_lock();
    img->refs--;
    cache_unlock();
}

size_t cache_evict(void)
{
    size_t freed = 0;
    cache_lock();
    struct image **at = &images;
    while (*at) {
        struct image *img = *at;
        if (img->refs != 0) {
            at = &img->next;
            continue;
        }
        *at = img->next;
        freed += img->bytes;
        free(img->pixels);
        free(img);
    }
    cache_unlock();
    return freed;
}

unsigned image_sum(const struct image *img)
{
    unsigned sum = 0;
    for (size_t i = 0; i < img->bytes; i++)
        sum += img->pixels[i];
    return sum;
}
