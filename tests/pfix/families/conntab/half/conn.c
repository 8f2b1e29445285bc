// SPDX-License-Identifier: Apache-2.0
#include "conn.h"

#include <stdlib.h>

struct conn *conn_new(int id, int *counter)
{
    struct conn *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->refs = 1;
    c->id = id;
    c->counter = counter;
    return c;
}

void conn_ref(struct conn *c)
{
    pthread_mutex_lock(&c->lock);
    c->refs++;
    pthread_mutex_unlock(&c->lock);
}

static void conn_free(struct conn *c)
{
    __atomic_fetch_add(c->counter, c->bytes, __ATOMIC_SEQ_CST);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void conn_unref(struct conn *c)
{
    int left;

    pthread_mutex_lock(&c->lock);
    left = --c->refs;
    pthread_mutex_unlock(&c->lock);
    if (left == 0)
        conn_free(c);
}

void conn_send(struct conn *c, int bytes)
{
    pthread_mutex_lock(&c->lock);
    c->bytes += bytes;
    pthread_mutex_unlock(&c->lock);
}
