/* Plain data is published by relaxed flags between a release and an acquire fence. */
//~ exit: 0
//~ stdout: chain sum 1275
//~ tsan: skip it does not model fences
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LINKS = 50 };

static int data[LINKS + 1];
static atomic_int ready[LINKS + 1];

static void *pass_on(void *arg)
{
    int me = (int)((int *)arg - data);
    while (!atomic_load_explicit(&ready[me - 1], memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    data[me] = data[me - 1] + me;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready[me], 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[LINKS + 1];
    for (int i = LINKS; i >= 1; i--)
        pthread_create(&t[i], NULL, pass_on, &data[i]);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready[0], 1, memory_order_relaxed);
    while (!atomic_load_explicit(&ready[LINKS], memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_seq_cst);
    int sum = data[LINKS];
    for (int i = 1; i <= LINKS; i++)
        pthread_join(t[i], NULL);
    printf("chain sum %d\n", sum);
    return 0;
}
