// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A released flag publishes a value.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int value;
static atomic_int ready;

static void *give(void *unused)
{
    (void)unused;
    value = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return NULL;
}

static void *take(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    printf("%d\n", value);
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
