// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// A sequence lock without fences.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int x, y;

static void *put(void *unused)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_store_explicit(&x, 5, memory_order_relaxed);
    atomic_store_explicit(&y, 5, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return unused;
}

static void *get(void *unused)
{
    for (int i = 0; i < 2; i++) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        int a = atomic_load_explicit(&x, memory_order_relaxed);
        int b = atomic_load_explicit(&y, memory_order_relaxed);
        unsigned behind = atomic_load_explicit(&sequence, memory_order_relaxed);
        if (before == behind && before % 2 == 0)
            assert(a == b);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, put, NULL);
    pthread_create(&t[1], NULL, get, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
