// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|weak-race|race|failure|assertion
// Memory is given back two epochs after it was taken out. A reader enters with a
// relaxed store, which hides that it has left before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { READERS = 2, IDLE = 0 };

static _Atomic unsigned epoch = 1;
static _Atomic unsigned in[READERS];
static int *_Atomic current;

static int look(int me)
{
    atomic_store_explicit(&in[me], atomic_load_explicit(&epoch, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int *p = atomic_load_explicit(&current, memory_order_acquire);
    int value = *p; //~ here
    atomic_store_explicit(&in[me], IDLE, memory_order_release);
    return value;
}

static bool all_moved_on(unsigned from)
{
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < READERS; i++) {
        unsigned e = atomic_load_explicit(&in[i], memory_order_acquire);
        if (e != IDLE && e <= from)
            return false;
    }
    return true;
}

static void replace(int value)
{
    int *now = malloc(sizeof *now);
    *now = value;
    int *old = atomic_exchange_explicit(&current, now, memory_order_acq_rel);
    unsigned from = atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel);
    while (!all_moved_on(from))
        ;
    free(old); //~ here
}

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    assert(look(me) >= 1);
    assert(look(me) >= 1);
    return NULL;
}

int main(void)
{
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_init(&current, first);
    pthread_t t[READERS];
    for (long i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    replace(2);
    for (int i = 0; i < READERS; i++)
        pthread_join(t[i], NULL);
    free(atomic_load(&current));
    return 0;
}
