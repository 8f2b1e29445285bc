// SPDX-License-Identifier: Apache-2.0
//~ check: failure|assertion
// A table to which entries are added without a lock: the key is stored behind the
// value, relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ENTRIES = 2 };

static struct {
    atomic_int key, value;
} entry[ENTRIES];

static void *add(void *unused)
{
    for (int i = 0; i < ENTRIES; i++) {
        atomic_store_explicit(&entry[i].value, 10 + i, memory_order_relaxed);
        atomic_store_explicit(&entry[i].key, 1 + i, memory_order_relaxed);
    }
    return unused;
}

static int find(int key)
{
    for (int i = 0; i < ENTRIES; i++)
        if (atomic_load_explicit(&entry[i].key, memory_order_acquire) == key)
            return atomic_load_explicit(&entry[i].value, memory_order_relaxed);
    return -1;
}

static void *look(void *unused)
{
    int got = find(2);
    assert(got == -1 || got == 11);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, look, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
