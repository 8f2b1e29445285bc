/* Store buffering, message passing and two writes each, with what orders are given: one line of
 * what was seen. Built with REL and ACQ as orders. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y, a, b, flag, data;
static int r1, r2, seen, got;

static void *one(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    atomic_store_explicit(&b, 2, memory_order_relaxed);
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, REL);
    return arg;
}

static void *two(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&b, 1, memory_order_relaxed);
    atomic_store_explicit(&a, 2, memory_order_relaxed);
    seen = atomic_load_explicit(&flag, ACQ);
    got = atomic_load_explicit(&data, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("SB %d%d MP %d%d 2+2W %d%d\n", r1, r2, seen, got, a, b);
    return 0;
}
