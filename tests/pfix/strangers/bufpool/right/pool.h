// SPDX-License-Identifier: Apache-2.0
#ifndef POOL_H
#define POOL_H

#include <pthread.h>

#define POOL_MAX 4
#define POOL_ENTER(p) pthread_mutex_lock(&(p)->mu)
#define POOL_LEAVE(p) pthread_mutex_unlock(&(p)->mu)

struct pool {
    pthread_mutex_t mu;
    int left;
    char *free_bufs[POOL_MAX];
    int failures;
};

void pool_init(struct pool *p, char (*bufs)[16], int count);
int pool_left(struct pool *p);
char *pool_get(struct pool *p);
void pool_put(struct pool *p, char *buf);

#endif
