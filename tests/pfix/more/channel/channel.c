// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <errno.h>
#include <stdlib.h>

#define CHANNEL_SIZE 8

int channel_open(struct channel *ch)
{
    int rc = 0;

    pthread_mutex_lock(&ch->lock);
    switch (ch->state) {
    case CHANNEL_IDLE:
        ch->buffer = malloc(CHANNEL_SIZE);
        if (!ch->buffer) {
            rc = -ENOMEM;
            break;
        }
        ch->used = 0;
        ch->state = CHANNEL_OPEN;
        break;
    case CHANNEL_OPEN:
        rc = -EALREADY;
        break;
    case CHANNEL_CLOSED:
        rc = -EBADF;
        break;
    }
    pthread_mutex_unlock(&ch->lock);
    return rc;
}

int channel_send(struct channel *ch, char byte)
{
    if (ch->state != CHANNEL_OPEN)
        return -EBADF;
    if (ch->used == CHANNEL_SIZE)
        return -ENOSPC;
    ch->buffer[ch->used++] = byte;
    return 0;
}

void channel_close(struct channel *ch)
{
    pthread_mutex_lock(&ch->lock);
    if (ch->state == CHANNEL_OPEN) {
        free(ch->buffer);
        ch->buffer = NULL;
    }
    ch->state = CHANNEL_CLOSED;
    pthread_mutex_unlock(&ch->lock);
}
