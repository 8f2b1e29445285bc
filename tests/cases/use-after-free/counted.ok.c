// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The last user frees.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int users;
    int value;
};

static void *use(void *arg)
{
    struct shared *s = arg;
    int value = s->value;
    (void)value;
    if (atomic_fetch_sub(&s->users, 1) == 1)
        free(s);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct shared *s = malloc(sizeof *s);
    s->value = 1;
    atomic_init(&s->users, 2);
    pthread_create(&a, NULL, use, s);
    pthread_create(&b, NULL, use, s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
