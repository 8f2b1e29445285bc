// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The kernel puts a fence into all threads for the one that asks for it.
#include <assert.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int often, seldom, both;

static int barrier(int what)
{
    return (int)syscall(SYS_membarrier, what, 0, 0);
}

static void *light(void *unused)
{
    atomic_store_explicit(&often, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&seldom, memory_order_relaxed))
        atomic_fetch_add(&both, 1);
    return unused;
}

static void *heavy(void *unused)
{
    atomic_store_explicit(&seldom, 1, memory_order_relaxed);
    barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    if (!atomic_load_explicit(&often, memory_order_relaxed))
        atomic_fetch_add(&both, 1);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    if (barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) < 0)
        atomic_store(&often, 1); /* not here */
    pthread_create(&t[0], NULL, light, NULL);
    pthread_create(&t[1], NULL, heavy, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(both < 2);
    return 0;
}
