// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What is written beside an atomic object says nothing about it: who acquires the flag knows
// of the message, although its sender has counted since.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    _Alignas(8) atomic_int ready;
    int sent; /* of the sender alone; in the same word */
} box;
static int message;

static void *sender(void *arg)
{
    (void)arg;
    message = 42;
    atomic_store_explicit(&box.ready, 1, memory_order_release);
    box.sent++;
    return NULL;
}

static void *receiver(void *arg)
{
    (void)arg;
    if (atomic_load_explicit(&box.ready, memory_order_acquire) && message != 42)
        printf("lost\n");
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", box.sent);
    return 0;
}
