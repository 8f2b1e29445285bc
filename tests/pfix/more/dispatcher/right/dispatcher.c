// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.h"

#include <stdlib.h>

struct listener *dispatcher_add(struct dispatcher *d, listener_fn call, void *arg)
{
    struct listener *l = malloc(sizeof *l);
    if (!l)
        abort();
    l->call = call;
    l->arg = arg;
    pthread_mutex_lock(&d->lock);
    l->next = d->first;
    d->first = l;
    pthread_mutex_unlock(&d->lock);
    return l;
}

void dispatcher_remove(struct dispatcher *d, struct listener *l)
{
    pthread_mutex_lock(&d->lock);
    struct listener **link = &d->first;
    while (*link && *link != l)
        link = &(*link)->next;
    if (*link)
        *link = l->next;
    l->call = NULL;
    pthread_mutex_unlock(&d->lock);
}

void dispatcher_send(struct dispatcher *d, int event)
{
    pthread_mutex_lock(&d->lock);
    for (struct listener *l = d->first; l; l = l->next)
        l->call(l->arg, event);
    pthread_mutex_unlock(&d->lock);
}
