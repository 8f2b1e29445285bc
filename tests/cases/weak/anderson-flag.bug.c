// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Anderson's lock: each waits at a slot of its own. Slots are used again, and who comes
// to one for the first time may find it open as it was at the start.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { SLOTS = 4 };
static struct {
    int open;
    char pad[60];
} slots[SLOTS] = {{1, ""}};
static unsigned tail;
static long balance;

static unsigned lock(void)
{
    unsigned me = __atomic_fetch_add(&tail, 1, __ATOMIC_RELAXED) % SLOTS;
    while (!__atomic_load_n(&slots[me].open, __ATOMIC_ACQUIRE))
        sched_yield();
    return me;
}

static void unlock(unsigned me)
{
    __atomic_store_n(&slots[me].open, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[(me + 1) % SLOTS].open, 1, __ATOMIC_RELEASE);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        unsigned me = lock();
        balance += (long)arg; //~ here
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(balance == 12);
    return 0;
}
