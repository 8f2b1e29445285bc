// SPDX-License-Identifier: Apache-2.0
#ifndef RING_H
#define RING_H

#include <pthread.h>

#define RING_SIZE 2u

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    unsigned head, tail;
    unsigned lost;
    unsigned char bytes[RING_SIZE];
};

#define RING_LOCK(r)                    \
    do {                                \
        pthread_mutex_lock(&(r)->lock); \
    } while (0)
#define RING_UNLOCK(r)                    \
    do {                                  \
        pthread_mutex_unlock(&(r)->lock); \
    } while (0)
#define RING_USED(r) ((r)->head - (r)->tail)

int ring_write(struct ring *r, unsigned char byte);
int ring_read(struct ring *r);

#endif
