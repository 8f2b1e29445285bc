// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A lock of three states with a futex (Drepper). It is released relaxed.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int state; /* 0 free, 1 held, 2 held and somebody may wait */
static int count, total;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &seen, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    if (seen != 2)
        seen = atomic_exchange_explicit(&state, 2, memory_order_acquire);
    while (seen != 0) {
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange_explicit(&state, 2, memory_order_acquire);
    }
}

static void unlock(void)
{
    if (atomic_fetch_sub_explicit(&state, 1, memory_order_relaxed) != 1) {
        atomic_store_explicit(&state, 0, memory_order_relaxed);
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        lock();
        count++;        //~ here
        total += count; //~ here
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 6 && total == 21);
    return 0;
}
