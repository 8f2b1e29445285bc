// SPDX-License-Identifier: Apache-2.0
// Names are interned: the same text gives the same pointer, for ever.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4

struct name {
    struct name *next;
    unsigned hash;
    char text[16];
};

static struct {
    pthread_rwlock_t lock;
    struct name *bucket[BUCKETS];
    int names;
} cache = {PTHREAD_RWLOCK_INITIALIZER, {NULL}, 0};

#define RD_ENTER() pthread_rwlock_rdlock(&cache.lock)
#define RD_LEAVE() pthread_rwlock_unlock(&cache.lock)
#define WR_ENTER() pthread_rwlock_wrlock(&cache.lock)
#define WR_LEAVE() pthread_rwlock_unlock(&cache.lock)
#define BUCKET(h) (cache.bucket[(h) % BUCKETS])

static unsigned hash_of(const char *text)
{
    unsigned h = 5381;
    while (*text)
        h = h * 33 + (unsigned char)*text++;
    return h;
}

static struct name *cache_find(const char *text, unsigned hash)
{
    for (struct name *n = BUCKET(hash); n; n = n->next)
        if (n->hash == hash && strcmp(n->text, text) == 0)
            return n;
    return NULL;
}

static struct name *cache_insert(const char *text, unsigned hash)
{
    struct name *n = calloc(1, sizeof *n);
    if (n == NULL)
        abort();
    snprintf(n->text, sizeof n->text, "%s", text);
    n->hash = hash;
    n->next = BUCKET(hash);
    BUCKET(hash) = n;
    cache.names++;
    return n;
}

static const struct name *cache_intern(const char *text)
{
    unsigned hash = hash_of(text);
    struct name *n;

    RD_ENTER();
    n = cache_find(text, hash);
    RD_LEAVE();
    if (n)
        return n;

    RD_ENTER();
    n = cache_find(text, hash);
    RD_LEAVE();
    if (n)
        return n;
    WR_ENTER();
    n = cache_insert(text, hash);
    WR_LEAVE();
    return n;
}

static void cache_clear(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        while (cache.bucket[i]) {
            struct name *n = cache.bucket[i];
            cache.bucket[i] = n->next;
            free(n);
        }
    }
}

static const char *const words[] = {"alpha", "beta", "alpha"};
enum { WORDS = 3, PARSERS = 2 };

static void *parser(void *arg)
{
    const struct name **out = arg;
    for (int i = 0; i < WORDS; i++)
        out[i] = cache_intern(words[i]);
    return NULL;
}

int main(void)
{
    const struct name *seen[PARSERS][WORDS];
    pthread_t threads[PARSERS];
    int differ = 0;

    for (int i = 0; i < PARSERS; i++)
        pthread_create(&threads[i], NULL, parser, seen[i]);
    for (int i = 0; i < PARSERS; i++)
        pthread_join(threads[i], NULL);
    for (int k = 0; k < WORDS; k++)
        differ += seen[0][k] != seen[1][k] || seen[0][0] != seen[0][2];
    if (differ || cache.names != 2) {
        fprintf(stderr, "%d names for 2 words, %d differ\n", cache.names, differ);
        return 1;
    }
    cache_clear();
    return 0;
}
