// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// Mended by hand: the way out takes the lock for what it undoes.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOADERS = 4 };

struct loader {
    pthread_mutex_t lock;
    int active;
    int loaded;
    size_t bytes;
};

static struct loader loader = {.lock = PTHREAD_MUTEX_INITIALIZER};
static const char *const files[LOADERS] = {"text one", "", "text three", ""};

static int parse(const char *text, char *into)
{
    if (text[0] == 0)
        return -1;
    memcpy(into, text, strlen(text) + 1);
    return 0;
}

static int load(struct loader *l, const char *text)
{
    int result = -1;
    char *copy = NULL;

    pthread_mutex_lock(&l->lock);
    l->active++;
    pthread_mutex_unlock(&l->lock);

    copy = malloc(strlen(text) + 1);
    if (!copy)
        goto out;
    if (parse(text, copy) < 0)
        goto out;

    pthread_mutex_lock(&l->lock);
    l->loaded++;
    l->bytes += strlen(copy);
    pthread_mutex_unlock(&l->lock);
    result = 0;
out:
    free(copy);
    pthread_mutex_lock(&l->lock);
    l->active--;
    pthread_mutex_unlock(&l->lock);
    return result;
}

static void *loader_main(void *argument)
{
    return load(&loader, argument) < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[LOADERS];
    for (int i = 0; i < LOADERS; i++)
        pthread_create(&threads[i], NULL, loader_main, (void *)(unsigned long)files[i]);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d loaded, %d active\n", loader.loaded, loader.active);
    return loader.active == 0 ? 0 : 1;
}
