// SPDX-License-Identifier: Apache-2.0
// A model of SLING-2812: authentication handlers register themselves for paths.
//
// One map, from a path to the handlers that answer for it, is shared by all. Handlers come and
// go in threads of their own, several at a time, and many of them answer for the same paths.
//
// The right fix: everybody who changes the map locks the map.
//
// arguments: [HANDLERS], at most 5. Ends with 1 if the map is not what was registered.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLERS_MAX = 5, PATHS_MAX = 2, ENTRIES_MAX = 16, HOLDERS_MAX = 16 };

struct handler {
    const char *name;
    const char *path[PATHS_MAX];
    int leaves; // it unregisters itself again
};

struct entry {
    const char *path;
    struct handler *
        *holder; // owned; a new block whenever it changes, as readers may hold the old
    int count;
};

struct map {
    struct entry entry[ENTRIES_MAX];
    int size;
    pthread_mutex_t lock;
};

static struct handler handlers[HANDLERS_MAX] = {
    {.name = "form", .path = {"/", "/content"}},
    {.name = "token", .path = {"/content", "/"}, .leaves = 1},
    {.name = "basic", .path = {"/", "/system"}},
    {.name = "openid", .path = {"/content", "/system"}},
    {.name = "selector", .path = {"/", "/content"}, .leaves = 1},
};

static struct map handler_map = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct handler **retired[HANDLERS_MAX][PATHS_MAX * 4]; // old blocks, freed at the end

static struct entry *map_find(struct map *map, const char *path)
{
    for (int i = 0; i < map->size; i++)
        if (strcmp(map->entry[i].path, path) == 0)
            return &map->entry[i];
    return NULL;
}

static struct entry *map_put(struct map *map, const char *path)
{
    struct entry *entry = &map->entry[map->size];
    *entry = (struct entry){.path = path};
    map->size++;
    return entry;
}

static void retire(struct handler *handler, struct handler **block)
{
    struct handler ***slot = retired[handler - handlers];
    while (*slot)
        slot++;
    *slot = block;
}

static struct handler **block_new(void)
{
    struct handler **block = calloc(HOLDERS_MAX, sizeof *block);
    if (!block)
        abort();
    return block;
}

// The holders of an entry, with one more at the end.
static void entry_add(struct entry *entry, struct handler *handler)
{
    struct handler **grown = block_new();
    int count = entry->count;
    for (int i = 0; i < count; i++)
        grown[i] = entry->holder[i];
    grown[count] = handler;
    retire(handler, entry->holder);
    entry->holder = grown;
    entry->count = count + 1;
}

// The holders of an entry, without one.
static void entry_remove(struct entry *entry, struct handler *handler)
{
    struct handler **shrunk = block_new();
    int count = entry->count, left = 0;
    for (int i = 0; i < count; i++)
        if (entry->holder[i] != handler)
            shrunk[left++] = entry->holder[i];
    retire(handler, entry->holder);
    entry->holder = shrunk;
    entry->count = left;
}

static void bind_handler(struct handler *handler)
{
    pthread_mutex_lock(&handler_map.lock);
    for (int i = 0; i < PATHS_MAX; i++) {
        struct entry *entry = map_find(&handler_map, handler->path[i]);
        if (!entry)
            entry = map_put(&handler_map, handler->path[i]);
        entry_add(entry, handler);
    }
    pthread_mutex_unlock(&handler_map.lock);
}

static void unbind_handler(struct handler *handler)
{
    pthread_mutex_lock(&handler_map.lock);
    for (int i = 0; i < PATHS_MAX; i++) {
        struct entry *entry = map_find(&handler_map, handler->path[i]);
        if (entry)
            entry_remove(entry, handler);
    }
    pthread_mutex_unlock(&handler_map.lock);
}

static void *service(void *arg)
{
    struct handler *handler = arg;
    bind_handler(handler);
    if (handler->leaves)
        unbind_handler(handler);
    return NULL;
}

static int registered(const struct handler *handler, const char *path)
{
    int times = 0;
    for (int i = 0; i < handler_map.size; i++)
        for (int k = 0; k < handler_map.entry[i].count; k++)
            times += strcmp(handler_map.entry[i].path, path) == 0 &&
                     handler_map.entry[i].holder[k] == handler;
    return times;
}

// How many registrations are missing, or are there and should not be.
static int map_check(int count)
{
    int wrong = 0;
    for (int h = 0; h < count; h++)
        for (int i = 0; i < PATHS_MAX; i++) {
            int times = registered(&handlers[h], handlers[h].path[i]);
            if (times != !handlers[h].leaves) {
                printf("%s: %d times in the map\n", handlers[h].name, times);
                wrong++;
            }
        }
    return wrong;
}

static void map_free(void)
{
    for (int i = 0; i < handler_map.size; i++)
        free(handler_map.entry[i].holder);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : HANDLERS_MAX;
    if (count < 1 || count > HANDLERS_MAX)
        return 2;
    pthread_t thread[HANDLERS_MAX];
    for (int i = 0; i < count; i++) {
        pthread_create(&thread[i], NULL, service, &handlers[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    int wrong = map_check(count);
    if (wrong == 0)
        map_free();
    return wrong != 0;
}
