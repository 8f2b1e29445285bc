// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

/* -1 if there is no room. */
int ring_write(struct ring *r, unsigned char byte)
{
    if (RING_USED(r) >= RING_SIZE)
        return -1;
    RING_LOCK(r);
    r->bytes[r->head % RING_SIZE] = byte;
    r->head++;
    pthread_cond_signal(&r->filled);
    RING_UNLOCK(r);
    return 0;
}

int ring_read(struct ring *r)
{
    RING_LOCK(r);
    while (RING_USED(r) == 0)
        pthread_cond_wait(&r->filled, &r->lock);
    int byte = r->bytes[r->tail % RING_SIZE];
    r->tail++;
    RING_UNLOCK(r);
    return byte;
}
