// SPDX-License-Identifier: Apache-2.0
#ifndef CHANNEL_H
#define CHANNEL_H

#include <pthread.h>
#include <stddef.h>

enum channel_state {
    CHANNEL_IDLE,
    CHANNEL_OPEN,
    CHANNEL_CLOSED,
};

struct channel {
    pthread_mutex_t lock;
    enum channel_state state;
    char *buffer;
    size_t used;
};

int channel_open(struct channel *ch);
int channel_send(struct channel *ch, char byte);
void channel_close(struct channel *ch);

#endif /* CHANNEL_H */
