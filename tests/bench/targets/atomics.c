/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic accesses of few objects by two threads: what one costs. The argument is how many. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic long objects[8];
static long rounds;

static void *work(void *number)
{
    long own = (long)number;
    for (long i = 0; i < rounds; i++) {
        atomic_store_explicit(&objects[(i + own) & 7], i, memory_order_release);
        if (atomic_load_explicit(&objects[i * 3 & 7], memory_order_acquire) < 0)
            return NULL;
        atomic_fetch_add_explicit(&objects[i * 5 & 7], 1, memory_order_relaxed);
        if (atomic_load_explicit(&objects[i & 7], memory_order_relaxed) < 0)
            return NULL;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    rounds = (argc > 1 ? atol(argv[1]) : 1000000) / 8;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
