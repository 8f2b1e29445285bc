// SPDX-License-Identifier: Apache-2.0
#ifndef SIGNALS_H
#define SIGNALS_H

#include <pthread.h>

struct slot;
typedef void (*slot_fn)(struct slot *slot, int value);

struct slot {
    slot_fn fn;
    struct slot *next;
    int calls;
};

struct signals {
    pthread_mutex_t lock;
    struct slot *slots;
    int connected;
};

void signals_connect(struct signals *s, struct slot *slot, slot_fn fn);
void signals_disconnect(struct signals *s, struct slot *slot);
void signals_emit(struct signals *s, int value);
int signals_count(struct signals *s);
#endif
