// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Readers count how deep they are in sections; who takes something away waits until
// each has been out (as user-space RCU does).
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_ulong depth[2];
static int *_Atomic config;

static void enter(int me)
{
    unsigned long d = atomic_load_explicit(&depth[me], memory_order_relaxed);
    atomic_store_explicit(&depth[me], d + 1, memory_order_relaxed);
    if (d == 0)
        atomic_thread_fence(memory_order_seq_cst);
}

static void leave(int me)
{
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&depth[me],
                          atomic_load_explicit(&depth[me], memory_order_relaxed) - 1,
                          memory_order_relaxed);
}

static void synchronize(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < 2; i++)
        while (atomic_load_explicit(&depth[i], memory_order_relaxed))
            sched_yield();
    atomic_thread_fence(memory_order_seq_cst);
}

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    enter(me);
    enter(me);
    int *p = atomic_load_explicit(&config, memory_order_acquire);
    assert(*p == 1 || *p == 2);
    leave(me);
    leave(me);
    return NULL;
}

int main(void)
{
    int *old = malloc(sizeof *old), *now = malloc(sizeof *now);
    *old = 1;
    *now = 2;
    atomic_store(&config, old);
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    atomic_store_explicit(&config, now, memory_order_release);
    synchronize();
    free(old);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(now);
    return 0;
}
