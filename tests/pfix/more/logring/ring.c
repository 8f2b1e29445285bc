// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <string.h>

void ring_log(struct ring *r, const char *text)
{
    pthread_mutex_lock(&r->lock);
    struct slot *s = &r->slots[r->head % RING_SLOTS];
    r->head++;
    pthread_mutex_unlock(&r->lock);
    s->length = (int)strlen(text);
    for (int i = 0; i <= s->length; i++)
        s->text[i] = text[i];
}

int ring_newest(struct ring *r, char *out)
{
    pthread_mutex_lock(&r->lock);
    if (r->head == 0) {
        pthread_mutex_unlock(&r->lock);
        return -1;
    }
    const struct slot *s = &r->slots[(r->head - 1) % RING_SLOTS];
    int length = s->length;
    for (int i = 0; i < RING_TEXT; i++)
        out[i] = s->text[i];
    pthread_mutex_unlock(&r->lock);
    return length;
}
