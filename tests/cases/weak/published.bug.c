// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A new version is made aside and published by a pointer, relaxed; readers never wait.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct version {
    int major, minor;
};

static struct version first = {1, 1}, second;
static _Atomic(struct version *) current = &first;

static void *update(void *unused)
{
    second.major = 2; //~ here
    second.minor = 2; //~ here
    atomic_store_explicit(&current, &second, memory_order_relaxed);
    return unused;
}

static void *read_both(void *unused)
{
    struct version *v = atomic_load_explicit(&current, memory_order_acquire);
    assert(v->major == v->minor); //~ here
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, read_both, NULL);
    pthread_create(&t[1], NULL, update, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
