// SPDX-License-Identifier: Apache-2.0
#include "object.h"

#include <stdlib.h>

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static int live;

static void count_live(int change)
{
    pthread_mutex_lock(&live_lock);
    live += change;
    pthread_mutex_unlock(&live_lock);
}

int object_live(void)
{
    pthread_mutex_lock(&live_lock);
    int now = live;
    pthread_mutex_unlock(&live_lock);
    return now;
}

struct object *object_new(int value)
{
    struct object *o = malloc(sizeof *o);
    if (!o)
        abort();
    pthread_mutex_init(&o->lock, NULL);
    o->references = 1;
    o->value = value;
    count_live(1);
    return o;
}

struct object *object_get(struct object *o)
{
    pthread_mutex_lock(&o->lock);
    o->references++;
    pthread_mutex_unlock(&o->lock);
    return o;
}

void object_put(struct object *o)
{
    o->references--;
    if (o->references == 0) {
        count_live(-1);
        pthread_mutex_destroy(&o->lock);
        free(o);
    }
}
