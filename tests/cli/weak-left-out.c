/* SPDX-License-Identifier: Apache-2.0
 *
 * More stores than a history has room for, an object of two sizes, one that is not aligned, and
 * a seq_cst access beside weaker ones. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Atomic int many, sc;
static _Alignas(8) char room[16];

static void *store(void *unused)
{
    for (int i = 1; i <= 20; i++)
        atomic_store_explicit(&many, i, memory_order_relaxed);
    return unused;
}

static void *sizes(void *unused)
{
    __atomic_store_n((uint32_t *)(void *)room, 1, __ATOMIC_RELAXED);
    __atomic_store_n((uint64_t *)(void *)room, 2, __ATOMIC_RELAXED);
    __atomic_store_n((uint32_t *)(void *)(room + 6), 3, __ATOMIC_RELAXED);
    return unused;
}

static void *mix(void *unused)
{
    atomic_store(&sc, 1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL,
                   !strcmp(argv[1], "many")    ? store
                   : !strcmp(argv[1], "sizes") ? sizes
                                               : mix,
                   NULL);
    int seen = atomic_load_explicit(&many, memory_order_relaxed);
    pthread_join(t, NULL);
    return seen < 0;
}
