// SPDX-License-Identifier: Apache-2.0
//~ expect: weak-race A B
// A relaxed flag publishes a value.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int value;
static atomic_int ready;

static void *give(void *unused)
{
    (void)unused;
    value = 42; //~ A
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

static void *take(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    printf("%d\n", value); //~ B
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, give, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
