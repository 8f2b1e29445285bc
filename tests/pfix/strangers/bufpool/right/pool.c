// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <stddef.h>

void pool_init(struct pool *p, char (*bufs)[16], int count)
{
    pthread_mutex_init(&p->mu, NULL);
    p->left = 0;
    p->failures = 0;
    for (int i = 0; i < count; i++)
        p->free_bufs[p->left++] = bufs[i];
}

int pool_left(struct pool *p)
{
    int left;

    POOL_ENTER(p);
    left = p->left;
    POOL_LEAVE(p);
    return left;
}

/* NULL if all are in use. */
char *pool_get(struct pool *p)
{
    char *buf;

    POOL_ENTER(p);
    if (p->left == 0) {
        POOL_LEAVE(p);
        return NULL;
    }
    buf = p->free_bufs[--p->left];
    POOL_LEAVE(p);
    return buf;
}

void pool_put(struct pool *p, char *buf)
{
    POOL_ENTER(p);
    p->free_bufs[p->left++] = buf;
    POOL_LEAVE(p);
}
