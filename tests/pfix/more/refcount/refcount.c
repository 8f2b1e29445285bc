// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1, crash
//~ with: object.c
// Two users hold a reference each to one object and give it back. Taking a reference is under
// the object's lock, giving it back is not: it may be freed twice, or never.
#include "object.h"

#include <stdio.h>

enum { USERS = 2 };

static void *user(void *argument)
{
    struct object *o = argument;
    int twice = o->value * 2;
    object_put(o);
    return twice == 14 ? NULL : &o->value;
}

int main(void)
{
    pthread_t threads[USERS];
    struct object *o = object_new(7);
    for (int i = 0; i < USERS; i++)
        pthread_create(&threads[i], NULL, user, object_get(o));
    object_put(o);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d left\n", object_live());
    return object_live() == 0 ? 0 : 1;
}
