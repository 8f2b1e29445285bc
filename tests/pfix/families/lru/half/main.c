// SPDX-License-Identifier: Apache-2.0
#include "lru.h"

#include <stdio.h>

static struct lru cache;

static void *writer(void *arg)
{
    (void)arg;
    lru_put(&cache, 1, 10);
    lru_put(&cache, 3, 30);
    return NULL;
}

static void *reader(void *arg)
{
    int *sum = arg;
    *sum = lru_get(&cache, 2) + lru_get(&cache, 0);
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    int sum = 0;

    lru_init(&cache);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, &sum);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    if (lru_length(&cache) != ENTRIES || sum != 0 || lru_get(&cache, 3) != 30) {
        fprintf(stderr, "the list has %d of %d entries\n", lru_length(&cache), ENTRIES);
        return 1;
    }
    return 0;
}
