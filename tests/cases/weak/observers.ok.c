// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two watch two counters and must agree which one moved first: all is in one order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y, x_first, y_first;

static void *move_x(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    return unused;
}

static void *move_y(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    return unused;
}

static void *watch_x(void *unused)
{
    int a = atomic_load_explicit(&x, memory_order_seq_cst);
    int b = atomic_load_explicit(&y, memory_order_seq_cst);
    atomic_store(&x_first, a && !b);
    return unused;
}

static void *watch_y(void *unused)
{
    int b = atomic_load_explicit(&y, memory_order_seq_cst);
    int a = atomic_load_explicit(&x, memory_order_seq_cst);
    atomic_store(&y_first, b && !a);
    return unused;
}

int main(void)
{
    void *(*parts[])(void *) = {move_x, move_y, watch_x, watch_y};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, parts[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    int both = atomic_load(&x_first) + atomic_load(&y_first);
    assert(both < 2);
    return 0;
}
