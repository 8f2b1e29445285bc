// SPDX-License-Identifier: Apache-2.0
// Who wants to hear of an event registers a callback.
#ifndef DISPATCHER_H
#define DISPATCHER_H

#include <pthread.h>

typedef void (*listener_fn)(void *arg, int event);

struct listener {
    listener_fn call;
    void *arg;
    struct listener *next;
};

struct dispatcher {
    pthread_mutex_t lock;
    struct listener *first;
};

struct listener *dispatcher_add(struct dispatcher *d, listener_fn call, void *arg);
void dispatcher_remove(struct dispatcher *d, struct listener *l);
void dispatcher_send(struct dispatcher *d, int event);

#endif
