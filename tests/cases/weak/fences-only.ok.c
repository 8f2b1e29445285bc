// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Everything relaxed, and fences.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data[3];
static atomic_int ready;

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++)
        data[i] = i;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);

    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);

    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    assert(data[2] == 2);
    pthread_join(t, NULL);
    return 0;
}
