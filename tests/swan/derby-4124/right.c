// SPDX-License-Identifier: Apache-2.0
// A model of DERBY-4124, set in a cache of pages that is cleaned in the background.
//
// Who needs a page looks for its entry, keeps it while he uses it, and releases it. A page
// that is not there is loaded into an entry that nobody keeps. The cleaner empties entries
// that nobody keeps.
//
// The right fix: also looking for the entry is in the section.
//
// arguments: [USERS], at most 6. Ends by a failed assertion if somebody has got the wrong
// page.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { USERS_MAX = 6, PAGES = 3, ENTRIES = 8, VISITS = 2, WORDS = 4, NO_PAGE = -1 };

struct entry {
    int page; // NO_PAGE: empty
    int kept;
    int word[WORDS];
};

struct cache {
    pthread_mutex_t lock;
    struct entry entry[ENTRIES];
    int hits, misses;
};

struct user {
    int visit[VISITS]; // the pages that he needs
    int sum;
};

static struct cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct user users[USERS_MAX];

static struct entry *cache_lookup(struct cache *in, int page)
{
    for (int i = 0; i < ENTRIES; i++)
        if (in->entry[i].page == page)
            return &in->entry[i];
    return NULL;
}

static struct entry *cache_victim(struct cache *in)
{
    for (int i = 0; i < ENTRIES; i++)
        if (in->entry[i].page == NO_PAGE)
            return &in->entry[i];
    for (int i = 0; i < ENTRIES; i++)
        if (in->entry[i].kept == 0)
            return &in->entry[i];
    abort(); // there are more entries than users
}

static void entry_load(struct entry *entry, int page)
{
    entry->page = page;
    for (int i = 0; i < WORDS; i++)
        entry->word[i] = page + 1;
}

static struct entry *cache_find(struct cache *in, int page)
{
    pthread_mutex_lock(&in->lock);
    struct entry *entry = cache_lookup(in, page);
    if (entry) {
        in->hits++;
    } else {
        entry = cache_victim(in);
        entry_load(entry, page);
        in->misses++;
    }
    entry->kept++;
    pthread_mutex_unlock(&in->lock);
    return entry;
}

static void cache_release(struct cache *in, struct entry *entry)
{
    pthread_mutex_lock(&in->lock);
    entry->kept--;
    pthread_mutex_unlock(&in->lock);
}

static void cache_clean(struct cache *in)
{
    pthread_mutex_lock(&in->lock);
    for (int i = 0; i < ENTRIES; i++)
        if (in->entry[i].kept == 0)
            in->entry[i].page = NO_PAGE;
    pthread_mutex_unlock(&in->lock);
}

static void *use_pages(void *arg)
{
    struct user *user = arg;
    for (int i = 0; i < VISITS; i++) {
        struct entry *entry = cache_find(&cache, user->visit[i]);
        for (int k = 0; k < WORDS; k++)
            user->sum += entry->word[k];
        assert(entry->page == user->visit[i]);
        cache_release(&cache, entry);
    }
    return NULL;
}

static void *cleaner(void *unused)
{
    (void)unused;
    cache_clean(&cache);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : USERS_MAX;
    if (count < 1 || count > USERS_MAX)
        return 2;
    for (int i = 0; i < ENTRIES; i++)
        cache.entry[i].page = NO_PAGE;
    pthread_t thread[USERS_MAX], background;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < VISITS; k++)
            users[i].visit[k] = (i + i * k) % PAGES;
        pthread_create(&thread[i], NULL, use_pages, &users[i]);
    }
    pthread_create(&background, NULL, cleaner, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    pthread_join(background, NULL);
    for (int i = 0; i < count; i++) {
        int expected = 0;
        for (int k = 0; k < VISITS; k++)
            expected += WORDS * (users[i].visit[k] + 1);
        assert(users[i].sum == expected);
    }
    assert(cache.hits + cache.misses == count * VISITS);
    return 0;
}
