// SPDX-License-Identifier: Apache-2.0
// Three clients with one query each; the owner tries to close the pool in between.
#include "pool.h"

#include <stdio.h>

#define CLIENTS 3

static struct pool pool;
static int answered[CLIENTS];

static void *client(void *arg)
{
    int *answer = arg;
    struct conn *c = pool_get(&pool);

    if (c == NULL)
        return NULL;
    c->queries++;
    *answer = 1;
    pool_put(&pool, c);
    return NULL;
}

int main(void)
{
    pthread_t threads[CLIENTS];
    int queries = 0, answers = 0;

    pool_init(&pool);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, &answered[i]);
    pool_close(&pool);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        answers += answered[i];
    }
    for (int i = 0; i < POOL_SIZE; i++)
        queries += pool.conns[i].queries;
    if (!pool_close(&pool) || queries != answers) {
        fprintf(stderr, "%d queries, %d answers\n", queries, answers);
        return 1;
    }
    return 0;
}
