// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// Peterson's lock with relaxed flags.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2], turn, inside;

static void lock(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, !me, memory_order_relaxed);
    while (atomic_load_explicit(&wants[!me], memory_order_relaxed) &&
           atomic_load_explicit(&turn, memory_order_relaxed) == !me)
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *work(void *arg)
{
    int me = arg != NULL;
    lock(me);
    int others = atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    assert(others == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &inside);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
