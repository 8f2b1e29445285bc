// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Lamport's bakery for two.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool choosing[2];
static atomic_uint number[2];
static int inside;

static void lock(int me)
{
    int other = !me;
    atomic_store_explicit(&choosing[me], true, memory_order_seq_cst);
    unsigned n = atomic_load_explicit(&number[other], memory_order_seq_cst) + 1;
    atomic_store_explicit(&number[me], n, memory_order_seq_cst);
    atomic_store_explicit(&choosing[me], false, memory_order_seq_cst);
    while (atomic_load_explicit(&choosing[other], memory_order_seq_cst))
        sched_yield();
    for (;;) {
        unsigned theirs = atomic_load_explicit(&number[other], memory_order_seq_cst);
        if (theirs == 0 || n < theirs || (n == theirs && me < other))
            break;
        sched_yield();
    }
}

static void unlock(int me)
{
    atomic_store_explicit(&number[me], 0, memory_order_release);
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    lock(me);
    assert(inside++ == 0);
    inside--;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
