// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A sorted list that threads insert into by compare-exchange. Who walks it looks
// relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *_Atomic next;
};
static struct node first;

static void insert(int key)
{
    struct node *n = malloc(sizeof *n);
    n->key = key; //~ here
    for (;;) {
        struct node *prev = &first, *at;
        while ((at = atomic_load_explicit(&prev->next, memory_order_relaxed)) &&
               at->key < key) //~ here
            prev = at;
        atomic_store_explicit(&n->next, at, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&prev->next, &at, n, memory_order_release,
                                                  memory_order_relaxed))
            return;
    }
}

static void *worker(void *arg)
{
    long from = (long)arg;
    insert((int)from);
    insert((int)from + 2);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int key = 0;
    for (struct node *n = atomic_load(&first.next); n; n = atomic_load(&n->next))
        assert(n->key == ++key);
    assert(key == 4);
    return 0;
}
