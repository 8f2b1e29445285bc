// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A queue lock (Craig; Landin and Hagersten) whose holder goes with release.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct place {
    atomic_bool is_taken;
};

static struct place free_place, places[2];
static _Atomic(struct place *) last = &free_place;
static long guarded[2];

static void *work(void *arg)
{
    struct place *mine = arg;
    atomic_store_explicit(&mine->is_taken, 1, memory_order_relaxed);
    struct place *before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->is_taken, memory_order_acquire))
        ;
    guarded[0]++;
    guarded[1]--;
    atomic_store_explicit(&mine->is_taken, 0, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &places[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld\n", guarded[0], guarded[1]);
    return 0;
}
