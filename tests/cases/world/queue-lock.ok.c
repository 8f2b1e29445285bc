// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock that is handed on from node to node, each on the stack of who waits.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int go;
};

static _Atomic(struct node *) tail;
static int count;

static void lock(struct node *me)
{
    atomic_store(&me->next, NULL);
    atomic_store(&me->go, 0);
    struct node *before = atomic_exchange(&tail, me);
    if (!before)
        return;
    atomic_store(&before->next, me);
    while (!atomic_load(&me->go))
        sched_yield();
}

static void unlock(struct node *me)
{
    struct node *next = atomic_load(&me->next), *mine = me;
    if (!next) {
        if (atomic_compare_exchange_strong(&tail, &mine, NULL))
            return;
        while (!(next = atomic_load(&me->next)))
            sched_yield();
    }
    atomic_store(&next->go, 1);
}

static void *add(void *arg)
{
    struct node me;
    for (int i = 0; i < 2; i++) {
        lock(&me);
        count++; //~ here
        unlock(&me);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return count != 4;
}
