// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A work-stealing deque (Chase and Lev 2005, Le et al. 2013).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { EMPTY = -1, ITEMS = 2 };

static atomic_long top, bottom;
static atomic_int items[4], taken[ITEMS];

static void push(int item)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % 4], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    int item = EMPTY;
    if (t <= b) {
        item = atomic_load_explicit(&items[b % 4], memory_order_relaxed);
        if (t < b)
            return item;
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            item = EMPTY;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

static int steal(void)
{
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&items[t % 4], memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                   memory_order_relaxed)
               ? item
               : EMPTY;
}

static void did(int item)
{
    if (item != EMPTY) {
        int before = atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed);
        assert(before == 0);
    }
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS; i++)
        did(steal());
    return unused;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < ITEMS; i++)
        push(i);
    pthread_create(&t, NULL, thief, NULL);
    did(take());
    pthread_join(t, NULL);
    return 0;
}
