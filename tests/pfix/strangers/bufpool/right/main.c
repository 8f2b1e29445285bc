// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <stdio.h>
#include <string.h>

static struct pool pool;
static char store[1][16];

static void *writer(void *arg)
{
    const char *name = arg;
    char *buf = pool_get(&pool);

    if (buf == NULL)
        return NULL;
    strcpy(buf, name);
    pool_put(&pool, buf);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pool_init(&pool, store, 1);
    pthread_create(&a, NULL, writer, "first");
    pthread_create(&b, NULL, writer, "second");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (pool.left != 1 || pool.free_bufs[0] != store[0]) {
        fprintf(stderr, "%d left\n", pool.left);
        return 1;
    }
    return 0;
}
