// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// A ring for one producer and one consumer, whose tail is stored relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SLOTS = 2, ITEMS = 3 };

static struct {
    atomic_uint head, tail;
    atomic_int slot[SLOTS];
} ring;

static bool push(int value)
{
    unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == SLOTS)
        return false;
    atomic_store_explicit(&ring.slot[tail % SLOTS], value, memory_order_relaxed);
    atomic_store_explicit(&ring.tail, tail + 1, memory_order_relaxed);
    return true;
}

static bool pop(int *value)
{
    unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
    if (head == atomic_load_explicit(&ring.tail, memory_order_acquire))
        return false;
    *value = atomic_load_explicit(&ring.slot[head % SLOTS], memory_order_relaxed);
    atomic_store_explicit(&ring.head, head + 1, memory_order_release);
    return true;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        while (!push(i))
            ;
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        int value;
        while (!pop(&value))
            ;
        assert(value == i);
    }
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, produce, NULL);
    pthread_create(&t[1], NULL, consume, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
