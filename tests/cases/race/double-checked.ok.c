// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Double-checked locking with an atomic pointer.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(int *) table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int *get(void)
{
    int *p = atomic_load_explicit(&table, memory_order_acquire);
    if (p)
        return p;
    pthread_mutex_lock(&m);
    p = atomic_load_explicit(&table, memory_order_relaxed);
    if (!p) {
        p = malloc(sizeof *p);
        *p = 7;
        atomic_store_explicit(&table, p, memory_order_release);
    }
    pthread_mutex_unlock(&m);
    return p;
}

static void *use(void *unused)
{
    (void)unused;
    printf("%d\n", *get());
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
