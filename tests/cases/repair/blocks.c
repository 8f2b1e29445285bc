/* SPDX-License-Identifier: Apache-2.0
 *
 * A write that is refused keeps the lock. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define BLOCKS 2
#define BLOCK_SIZE 8

struct store {
    pthread_mutex_t lock;
    int used;
    char block[BLOCKS][BLOCK_SIZE];
};

static struct store store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int store_write(struct store *s, const char *text)
{
    size_t len = strlen(text);
    int rc = 0;

    if (len >= BLOCK_SIZE)
        return -EINVAL;
    pthread_mutex_lock(&s->lock);
    if (s->used == BLOCKS)
        return -ENOSPC;
    memcpy(s->block[s->used], text, len + 1);
    s->used++;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static void store_drop(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->used > 0)
        s->used--;
    pthread_mutex_unlock(&s->lock);
}

static void *writer(void *arg)
{
    const char *text = arg;
    for (int i = 0; i < 2; i++)
        if (store_write(&store, text) == 0)
            store_drop(&store);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    char *texts[3] = {"one", "two", "three"};

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, writer, texts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d used\n", store.used);
    return store.used == 0 ? 0 : 1;
}
