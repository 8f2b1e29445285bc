// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
// The last one frees the object. The count is taken down before the lock is given back.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t m;
    atomic_int users;
};

static struct object *made;

static void *leave(void *arg)
{
    struct object *o = made;
    pthread_mutex_lock(&o->m);
    atomic_fetch_sub(&o->users, 1);
    pthread_mutex_unlock(&o->m); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    made = malloc(sizeof *made);
    pthread_mutex_init(&made->m, NULL);
    made->users = 2;
    pthread_create(&t, NULL, leave, NULL);
    while (atomic_load(&made->users) > 1)
        ;
    free(made); //~ B
    pthread_join(t, NULL);
    return 0;
}
