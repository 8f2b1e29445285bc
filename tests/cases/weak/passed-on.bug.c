// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// News go from one to the next: the one in the middle passes them on relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int news, first, second;

static void *source(void *unused)
{
    atomic_store_explicit(&news, 3, memory_order_relaxed);
    atomic_store_explicit(&first, 1, memory_order_release);
    return unused;
}

static void *middle(void *unused)
{
    if (atomic_load_explicit(&first, memory_order_acquire))
        atomic_store_explicit(&second, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused)
{
    if (atomic_load_explicit(&second, memory_order_acquire)) {
        int got = atomic_load_explicit(&news, memory_order_relaxed);
        assert(got == 3);
    }
    return unused;
}

int main(void)
{
    void *(*parts[])(void *) = {source, middle, reader};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, parts[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
