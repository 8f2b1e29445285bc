// SPDX-License-Identifier: Apache-2.0
// A pool of connections to a data base.
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stdbool.h>

#define POOL_SIZE 2

struct conn {
    int id;
    bool busy;
    int queries;
};

struct pool {
    pthread_mutex_t lock;
    bool closed;
    int n_busy;
    int refused;
    struct conn conns[POOL_SIZE];
};

void pool_init(struct pool *pool);
struct conn *pool_get(struct pool *pool);
void pool_put(struct pool *pool, struct conn *conn);
bool pool_close(struct pool *pool);

#endif
