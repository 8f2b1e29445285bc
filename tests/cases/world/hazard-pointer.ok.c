// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What is read is published first, and looked up again: who frees it waits for that.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct config {
    int value;
};

static _Atomic(struct config *) current, hazard;

static struct config *make(int value)
{
    struct config *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->value = value;
    return c;
}

static void *look(void *arg)
{
    struct config *c;
    do {
        c = atomic_load(&current);
        atomic_store(&hazard, c);
    } while (c != atomic_load(&current));
    int seen = c->value; //~ here
    atomic_store(&hazard, NULL);
    return seen > 0 ? arg : &hazard;
}

static void *change(void *arg)
{
    struct config *old = atomic_exchange(&current, make(2));
    while (atomic_load(&hazard) == old)
        usleep(10);
    free(old); //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    atomic_store(&current, make(1));
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(atomic_load(&current));
    return 0;
}
