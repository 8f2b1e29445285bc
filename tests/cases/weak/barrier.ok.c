// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A barrier made by hand: the last one to arrive opens it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int arrived, round;
static int half[2], whole[2];

static void meet(void)
{
    int now = atomic_load_explicit(&round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&round, now + 1, memory_order_release);
    } else {
        while (atomic_load_explicit(&round, memory_order_acquire) == now)
            ;
    }
}

static void *work(void *arg)
{
    int me = arg != NULL;
    half[me] = 21;
    meet();
    whole[me] = half[0] + half[1];
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d %d\n", whole[0], whole[1]);
    return 0;
}
