// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <stddef.h>

static inline void pool_lock(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
}

static inline void pool_unlock(struct pool *pool)
{
    pthread_mutex_unlock(&pool->lock);
}

void pool_init(struct pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->closed = false;
    pool->n_busy = 0;
    pool->refused = 0;
    for (int i = 0; i < POOL_SIZE; i++)
        pool->conns[i] = (struct conn){.id = i};
}

/* A connection that nobody uses, or NULL. */
struct conn *pool_get(struct pool *pool)
{
    struct conn *found = NULL;

    pool_lock(pool);
    if (pool->closed) {
        pool_unlock(pool);
        return NULL;
    }
    if (pool->n_busy == POOL_SIZE) {
        pool->refused++;
        pool_unlock(pool);
        return NULL;
    }
    for (int i = 0; i < POOL_SIZE && !found; i++) {
        if (!pool->conns[i].busy)
            found = &pool->conns[i];
    }
    found->busy = true;
    pool->n_busy++;
    pool_unlock(pool);
    return found;
}

void pool_put(struct pool *pool, struct conn *conn)
{
    pool_lock(pool);
    conn->busy = false;
    pool->n_busy--;
    pool_unlock(pool);
}

/* False if there are connections in use: then the pool stays open. */
bool pool_close(struct pool *pool)
{
    bool idle;

    pool_lock(pool);
    idle = pool->n_busy == 0;
    if (idle)
        pool->closed = true;
    pool_unlock(pool);
    return idle;
}
