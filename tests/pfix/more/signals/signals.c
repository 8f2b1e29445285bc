// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <stddef.h>

void signals_connect(struct signals *s, struct slot *slot, slot_fn fn)
{
    slot->fn = fn;
    slot->calls = 0;
    pthread_mutex_lock(&s->lock);
    slot->next = s->slots;
    s->slots = slot;
    s->connected++;
    pthread_mutex_unlock(&s->lock);
}

void signals_disconnect(struct signals *s, struct slot *slot)
{
    pthread_mutex_lock(&s->lock);
    struct slot **p = &s->slots;
    while (*p && *p != slot)
        p = &(*p)->next;
    if (*p) {
        *p = slot->next;
        s->connected--;
    }
    slot->fn = NULL;
    pthread_mutex_unlock(&s->lock);
}

int signals_count(struct signals *s)
{
    pthread_mutex_lock(&s->lock);
    int n = s->connected;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void signals_emit(struct signals *s, int value)
{
    for (struct slot *slot = s->slots; slot; slot = slot->next)
        slot->fn(slot, value);
}
