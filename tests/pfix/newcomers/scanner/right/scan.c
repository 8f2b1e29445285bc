// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <stdlib.h>

#define CHUNK 2

struct scan *scan_new(const int *data, size_t len, int wanted)
{
    struct scan *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->data = data;
    s->len = len;
    s->wanted = wanted;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->progress, NULL);
    return s;
}

void scan_free(struct scan *s)
{
    pthread_cond_destroy(&s->progress);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static int next_chunk(struct scan *s, size_t *begin, size_t *end)
{
    pthread_mutex_lock(&s->lock);
    *begin = s->next;
    *end = s->next + CHUNK < s->len ? s->next + CHUNK : s->len;
    s->next = *end;
    pthread_mutex_unlock(&s->lock);
    return *begin < *end;
}

static int count_hits(const struct scan *s, size_t begin, size_t end)
{
    int hits = 0;
    for (size_t i = begin; i < end; i++)
        hits += s->data[i] == s->wanted;
    return hits;
}

static void *worker(void *arg)
{
    struct scan *s = arg;
    size_t begin, end;
    while (!atomic_load(&s->stop) && next_chunk(s, &begin, &end)) {
        int hits = count_hits(s, begin, end);
        pthread_mutex_lock(&s->lock);
        s->hits += hits;
        if (hits)
            pthread_cond_signal(&s->progress);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_lock(&s->lock);
    s->finished++;
    pthread_cond_signal(&s->progress);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int scan_start(struct scan *s)
{
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&s->workers[i], NULL, worker, s) != 0)
            return -1;
    return 0;
}

void scan_join(struct scan *s)
{
    for (int i = 0; i < WORKERS; i++)
        pthread_join(s->workers[i], NULL);
}

int scan_contains(const int *data, size_t len, int wanted)
{
    struct scan *s = scan_new(data, len, wanted);
    if (!s)
        return -1;
    if (scan_start(s) != 0)
        abort();

    pthread_mutex_lock(&s->lock);
    while (s->hits == 0 && s->finished < WORKERS)
        pthread_cond_wait(&s->progress, &s->lock);
    int hits = s->hits;
    pthread_mutex_unlock(&s->lock);

    if (hits > 0)
        atomic_store(&s->stop, 1);
    scan_join(s);
    scan_free(s);
    return hits > 0;
}
