// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A plain message behind a relaxed flag, and two fences.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int message;
static atomic_bool ready;

static void *give(void *unused)
{
    message = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *take(void *unused)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    assert(message == 42);
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
