// SPDX-License-Identifier: Apache-2.0
// A model of FOP-1594: a cache of properties, in a hash table that grows.
//
// Threads that format pages look properties up and add what is missing; equal properties must
// be one object afterwards. The table is divided into segments with a lock each. A table that
// has become too full is replaced by one of twice the size.
//
// The right fix: who replaces the table holds the locks of all segments.
//
// arguments: [FORMATTERS], at most 3. Ends with 1 if a property is lost or is there twice.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FORMATTERS_MAX = 3, SEGMENTS = 4, TABLE_FIRST = 4, LOAD_MAX = 1, KEYS = 5 };

struct property {
    int key, value;
    struct property *next;
};

struct table {
    int size;            // a power of two, at least SEGMENTS
    struct table *older; // the one that this one replaced; somebody may still read it
    struct property *bucket[];
};

struct segment {
    pthread_mutex_t lock;
    int count;
};

static struct segment segments[SEGMENTS];
static struct table *table;

// What each formatter has been given, by key.
static struct property *given[FORMATTERS_MAX][KEYS];

// The order in which each formatter meets its properties. Keys 0 and 4 share a segment.
static const int wish[FORMATTERS_MAX][KEYS] = {
    {0, 4, 1, 2, 3},
    {1, 2, 3, 4, 0},
    {3, 0, 2, 1, 4},
};

static struct table *table_new(int size)
{
    struct table *made = calloc(1, sizeof *made + (size_t)size * sizeof made->bucket[0]);
    if (!made)
        abort();
    made->size = size;
    return made;
}

static struct property *property_new(int key)
{
    struct property *made = calloc(1, sizeof *made);
    if (!made)
        abort();
    made->key = key;
    made->value = 7 * key + 1;
    return made;
}

static struct property *bucket_find(struct property *first, int key)
{
    for (struct property *p = first; p; p = p->next)
        if (p->key == key)
            return p;
    return NULL;
}

// Everything in the old table, in one of twice its size.
static void table_grow(int overflowed)
{
    for (int i = 0; i < SEGMENTS; i++)
        pthread_mutex_lock(&segments[i].lock);
    if (segments[overflowed].count > LOAD_MAX * table->size / SEGMENTS) {
        struct table *old = table, *grown = table_new(2 * old->size);
        for (int i = 0; i < old->size; i++) {
            struct property *next = NULL;
            for (struct property *p = old->bucket[i]; p; p = next) {
                struct property **bucket = &grown->bucket[p->key % grown->size];
                next = p->next;
                p->next = *bucket;
                *bucket = p;
            }
        }
        grown->older = old;
        table = grown;
    }
    for (int i = SEGMENTS - 1; i >= 0; i--)
        pthread_mutex_unlock(&segments[i].lock);
}

static void segment_add(struct property *property)
{
    int at = property->key % SEGMENTS;
    struct property **bucket = &table->bucket[property->key % table->size];
    property->next = *bucket;
    *bucket = property;
    segments[at].count++;
}

// The one property with this key: the one that is there already, or a new one.
static struct property *cache_fetch(int key)
{
    int at = key % SEGMENTS;
    pthread_mutex_lock(&segments[at].lock);
    struct property *found = bucket_find(table->bucket[key % table->size], key);
    if (!found) {
        found = property_new(key);
        segment_add(found);
    }
    int full = segments[at].count > LOAD_MAX * table->size / SEGMENTS;
    pthread_mutex_unlock(&segments[at].lock);
    if (full)
        table_grow(at);
    return found;
}

static void *format_pages(void *arg)
{
    struct property **mine = arg;
    const int *wanted = wish[(mine - given[0]) / KEYS];
    for (int i = 0; i < KEYS; i++)
        mine[wanted[i]] = cache_fetch(wanted[i]);
    return NULL;
}

// How many keys are missing, or are more than one object.
static int cache_check(int count)
{
    int wrong = 0;
    for (int key = 0; key < KEYS; key++) {
        struct property *one = bucket_find(table->bucket[key % table->size], key);
        for (int i = 0; i < count; i++)
            if (given[i][key] != one) {
                printf("key %d: formatter %d has another one\n", key, i);
                wrong++;
            }
    }
    return wrong;
}

static void table_free(struct table *last)
{
    for (int i = 0; i < last->size; i++)
        for (struct property *p = last->bucket[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    for (struct table *older; last; last = older) {
        older = last->older;
        free(last);
    }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : FORMATTERS_MAX;
    if (count < 1 || count > FORMATTERS_MAX)
        return 2;
    table = table_new(TABLE_FIRST);
    for (int i = 0; i < SEGMENTS; i++)
        pthread_mutex_init(&segments[i].lock, NULL);
    pthread_t thread[FORMATTERS_MAX];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, format_pages, given[i]);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    int wrong = cache_check(count);
    if (wrong == 0)
        table_free(table);
    return wrong != 0;
}
