// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Anderson's lock: each waits at a slot of its own for its number.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { SLOTS = 4 };
static struct {
    unsigned turn;
    char pad[60];
} slots[SLOTS];
static unsigned tail;
static long balance;

static unsigned lock(void)
{
    unsigned me = __atomic_fetch_add(&tail, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&slots[me % SLOTS].turn, __ATOMIC_ACQUIRE) != me)
        sched_yield();
    return me;
}

static void unlock(unsigned me)
{
    __atomic_store_n(&slots[(me + 1) % SLOTS].turn, me + 1, __ATOMIC_RELEASE);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        unsigned me = lock();
        balance += (long)arg;
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
