// SPDX-License-Identifier: Apache-2.0
// An object that lives as long as somebody holds a reference to it.
#ifndef OBJECT_H
#define OBJECT_H

#include <pthread.h>

struct object {
    pthread_mutex_t lock;
    int references;
    int value;
};

struct object *object_new(int value);
struct object *object_get(struct object *o);
void object_put(struct object *o);
int object_live(void); /* how many there are */

#endif
