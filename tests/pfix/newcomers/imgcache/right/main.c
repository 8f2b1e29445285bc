// SPDX-License-Identifier: Apache-2.0
#include "imgcache.h"

#include <pthread.h>
#include <stdio.h>

static int wrong;
static pthread_mutex_t wrong_mutex = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *name)
{
    struct image *img = cache_get(name);
    if (!img)
        return;
    unsigned sum = image_sum(img);
    cache_put(img);
    if (sum != 4 * 7) {
        pthread_mutex_lock(&wrong_mutex);
        wrong++;
        pthread_mutex_unlock(&wrong_mutex);
    }
}

static void *viewer(void *arg)
{
    show(arg);
    return NULL;
}

static void *evictor(void *arg)
{
    size_t *freed = arg;
    *freed += cache_evict();
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    size_t freed = 0;

    cache_load("logo", 4, 7);
    cache_alias("default", "logo");
    pthread_create(&threads[0], NULL, viewer, "logo");
    pthread_create(&threads[1], NULL, viewer, "default");
    pthread_create(&threads[2], NULL, evictor, &freed);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    freed += cache_evict();
    if (wrong || freed != 4) {
        fprintf(stderr, "%d wrong sums, %zu bytes freed\n", wrong, freed);
        return 1;
    }
    return 0;
}
