// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race|failure|assertion|use-after-free
// A list that readers walk without a lock, with counters of quiet states. There is no
// fence behind a quiet state.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct entry {
    int key, value;
    struct entry *_Atomic next;
};

static struct entry *_Atomic list;
static _Atomic unsigned long quiet;
static atomic_bool gone; /* the reader comes no more */

static int find(int key)
{
    for (struct entry *e = atomic_load_explicit(&list, memory_order_acquire); e;
         e = atomic_load_explicit(&e->next, memory_order_acquire))
        if (e->key == key) //~ here
            return e->value;
    return -1;
}

static void insert(int key, int value)
{
    struct entry *e = malloc(sizeof *e);
    e->key = key; //~ here
    e->value = value;
    atomic_init(&e->next, atomic_load_explicit(&list, memory_order_relaxed));
    atomic_store_explicit(&list, e, memory_order_release);
}

static void drop_second(void)
{
    struct entry *first = atomic_load_explicit(&list, memory_order_relaxed);
    struct entry *old = atomic_load_explicit(&first->next, memory_order_relaxed);
    atomic_store_explicit(&first->next, atomic_load_explicit(&old->next, memory_order_relaxed),
                          memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    unsigned long before = atomic_load_explicit(&quiet, memory_order_acquire);
    while (atomic_load_explicit(&quiet, memory_order_acquire) < before + 2 &&
           !atomic_load_explicit(&gone, memory_order_acquire))
        ;
    free(old); //~ here
}

static void *reader(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++) {
        int v = find(1);
        assert(v == 10 || v == -1);
        atomic_fetch_add_explicit(&quiet, 1, memory_order_release);
    }
    atomic_store_explicit(&gone, true, memory_order_release);
    return NULL;
}

int main(void)
{
    insert(1, 10);
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    insert(2, 20);
    drop_second();
    pthread_join(t, NULL);
    return 0;
}
