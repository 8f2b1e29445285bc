// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A ticket lock that is given back relaxed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    atomic_uint next, serving;
} gate;
static int balance;

static void enter(void)
{
    unsigned mine = atomic_fetch_add_explicit(&gate.next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&gate.serving, memory_order_acquire) != mine)
        ;
}

static void leave(void)
{
    unsigned now = atomic_load_explicit(&gate.serving, memory_order_relaxed);
    atomic_store_explicit(&gate.serving, now + 1, memory_order_relaxed);
}

static void *pay(void *unused)
{
    enter();
    balance += 10; //~ here
    leave();
    return unused;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, pay, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", balance);
    return 0;
}
