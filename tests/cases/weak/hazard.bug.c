// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// A hazard pointer: no fence between saying what is used and looking whether it still
// is in use.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    atomic_int value; /* 0: given back */
};

static struct node nodes[2];
static _Atomic(struct node *) current, hazard;

static struct node *protect(void)
{
    struct node *n;
    do {
        n = atomic_load_explicit(&current, memory_order_acquire);
        atomic_store_explicit(&hazard, n, memory_order_release);
    } while (n != atomic_load_explicit(&current, memory_order_acquire));
    return n;
}

static void *use(void *unused)
{
    struct node *n = protect();
    int value = atomic_load_explicit(&n->value, memory_order_relaxed);
    assert(value != 0);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return unused;
}

static void *change(void *unused)
{
    struct node *old = atomic_exchange_explicit(&current, &nodes[1], memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&hazard, memory_order_acquire) != old)
        atomic_store_explicit(&old->value, 0, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    atomic_store(&nodes[0].value, 1);
    atomic_store(&nodes[1].value, 2);
    atomic_store(&current, &nodes[0]);
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, change, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
