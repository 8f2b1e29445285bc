// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A plain message behind a relaxed flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int message;
static atomic_bool ready;

static void *give(void *unused)
{
    message = 42; //~ here
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *take(void *unused)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    assert(message == 42); //~ here
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, give, NULL);
    pthread_create(&t[1], NULL, take, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
