// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A message in two words, and a flag that is released behind them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int low, high, ready;

static void *give(void *unused)
{
    atomic_store_explicit(&low, 1, memory_order_relaxed);
    atomic_store_explicit(&high, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *take(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
        int sum = atomic_load_explicit(&low, memory_order_relaxed);
        sum += atomic_load_explicit(&high, memory_order_relaxed);
        assert(sum == 2);
    }
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
