// SPDX-License-Identifier: Apache-2.0
#include "codec.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define MAX_CODECS 8
#define for_each_codec(c) \
    for (const struct codec *c = table, *end = table + atomic_load(&n_codecs); c < end; c++)

static struct codec table[MAX_CODECS];
static atomic_int n_codecs;
static pthread_mutex_t register_mutex = PTHREAD_MUTEX_INITIALIZER;

int codec_register(const char *name, int priority, codec_fn encode, codec_fn decode)
{
    if (!name || !encode || !decode)
        return -1;

    pthread_mutex_lock(&register_mutex);
    int at = atomic_load(&n_codecs);
    if (at == MAX_CODECS) {
        pthread_mutex_unlock(&register_mutex);
        return -1;
    }
    struct codec *c = &table[at];
    c->name = name;
    c->priority = priority;
    c->encode = encode;
    c->decode = decode;
    atomic_fetch_add(&n_codecs, 1);
    pthread_mutex_unlock(&register_mutex);
    return at;
}

const struct codec *codec_find(const char *name)
{
    for_each_codec(c)
    {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

const struct codec *codec_best(void)
{
    const struct codec *best = NULL;
    for_each_codec(c)
    {
        if (!best || c->priority > best->priority)
            best = c;
    }
    return best;
}

int codec_count(void)
{
    return atomic_load(&n_codecs);
}
