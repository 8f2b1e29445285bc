// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// A queue lock (Mellor-Crummey and Scott 1991) that is handed on relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_bool waits;
};

static _Atomic(struct waiter *) tail;
static atomic_int guarded;

static void lock(struct waiter *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
    struct waiter *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->waits, memory_order_acquire))
        ;
}

static void unlock(struct waiter *me)
{
    struct waiter *next = atomic_load_explicit(&me->next, memory_order_acquire);
    if (!next) {
        struct waiter *self = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &self, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&next->waits, 0, memory_order_relaxed);
}

static void *count(void *me)
{
    lock(me);
    int was = atomic_load_explicit(&guarded, memory_order_relaxed);
    atomic_store_explicit(&guarded, was + 1, memory_order_relaxed);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    struct waiter waiters[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, &waiters[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int sum = atomic_load(&guarded);
    assert(sum == 2);
    return 0;
}
