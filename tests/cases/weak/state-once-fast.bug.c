// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A once of our own: a state, and a futex to wait at. The fast path looks relaxed.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NEW, BUSY, DONE };
static _Atomic int state;
static int table[4];

static void make(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i + 1; //~ here
}

static void once(void)
{
    if (atomic_load_explicit(&state, memory_order_relaxed) == DONE)
        return;
    int seen = NEW;
    if (atomic_compare_exchange_strong_explicit(&state, &seen, BUSY, memory_order_acquire,
                                                memory_order_relaxed)) {
        make();
        atomic_store_explicit(&state, DONE, memory_order_release);
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0);
        return;
    }
    while (atomic_load_explicit(&state, memory_order_relaxed) != DONE)
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, BUSY, NULL, NULL, 0);
}

static void *user(void *arg)
{
    once();
    assert(table[(long)arg] == (long)arg + 1); //~ here
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
