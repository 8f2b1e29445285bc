// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two write the same two settings, in the other order: sequentially consistent stores,
// so that one of them is last in both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int mode, level;

static void *forwards(void *unused)
{
    atomic_store_explicit(&mode, 1, memory_order_seq_cst);
    atomic_store_explicit(&level, 1, memory_order_seq_cst);
    return unused;
}

static void *backwards(void *unused)
{
    atomic_store_explicit(&level, 2, memory_order_seq_cst);
    atomic_store_explicit(&mode, 2, memory_order_seq_cst);
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
