// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Everything relaxed, and fences. The acquire fence stands before the loop instead of
// behind it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data[3];
static atomic_int ready;

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++)
        data[i] = i; //~ here
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);

    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    atomic_thread_fence(memory_order_acquire);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;

    assert(data[2] == 2); //~ here
    pthread_join(t, NULL);
    return 0;
}
