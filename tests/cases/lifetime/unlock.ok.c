// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The last one frees the object, when it has unlocked: whoever came before has unlocked, too.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t m;
    int users;
};

static void *leave(void *arg)
{
    struct object *o = arg;
    pthread_mutex_lock(&o->m);
    int left = --o->users;
    pthread_mutex_unlock(&o->m);
    if (left == 0) {
        pthread_mutex_destroy(&o->m);
        free(o);
    }
    return NULL;
}

int main(void)
{
    struct object *o = malloc(sizeof *o);
    pthread_t t;
    pthread_mutex_init(&o->m, NULL);
    o->users = 2;
    pthread_create(&t, NULL, leave, o);
    leave(o);
    pthread_join(t, NULL);
    return 0;
}
