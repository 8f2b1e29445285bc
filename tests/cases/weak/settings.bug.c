// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// Two write the same two settings, in the other order: relaxed stores, so that one of
// them need not be last in both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int mode, level;

static void *forwards(void *unused)
{
    atomic_store_explicit(&mode, 1, memory_order_relaxed);
    atomic_store_explicit(&level, 1, memory_order_relaxed);
    return unused;
}

static void *backwards(void *unused)
{
    atomic_store_explicit(&level, 2, memory_order_relaxed);
    atomic_store_explicit(&mode, 2, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, forwards, NULL);
    pthread_create(&t[1], NULL, backwards, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    int first_stays = atomic_load(&mode) == 1 && atomic_load(&level) == 2;
    assert(!first_stays); /* each one's first store would have survived */
    return 0;
}
