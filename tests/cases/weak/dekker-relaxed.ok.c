// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Dekker's lock with relaxed accesses, and a fence behind each store that says that one
// wants to come in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool wants[2];
static atomic_int turn, inside;

static void want(int me, int yes)
{
    atomic_store_explicit(&wants[me], yes, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static void lock(int me)
{
    want(me, 1);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire)) {
        if (atomic_load_explicit(&turn, memory_order_relaxed) == me)
            continue;
        want(me, 0);
        while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
            ;
        want(me, 1);
    }
}

static void unlock(int me)
{
    atomic_store_explicit(&turn, !me, memory_order_relaxed);
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
