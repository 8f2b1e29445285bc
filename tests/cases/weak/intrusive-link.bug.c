// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// An intrusive queue for many producers and one consumer (Vyukov). The link is stored
// relaxed.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *_Atomic next;
    int value;
};

struct queue {
    struct node *_Atomic head;
    struct node *tail;
    struct node stub;
};

static struct queue q = {&q.stub, &q.stub, {NULL, 0}};

static void push(struct node *n)
{
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    struct node *prev = atomic_exchange_explicit(&q.head, n, memory_order_acq_rel);
    atomic_store_explicit(&prev->next, n, memory_order_relaxed);
}

static struct node *pop(void)
{
    struct node *tail = q.tail;
    struct node *next = atomic_load_explicit(&tail->next, memory_order_acquire);
    if (tail == &q.stub) {
        if (!next)
            return NULL;
        q.tail = tail = next;
        next = atomic_load_explicit(&tail->next, memory_order_acquire);
    }
    if (next) {
        q.tail = next;
        return tail;
    }
    if (tail != atomic_load_explicit(&q.head, memory_order_acquire))
        return NULL;
    push(&q.stub);
    next = atomic_load_explicit(&tail->next, memory_order_acquire);
    if (!next)
        return NULL;
    q.tail = next;
    return tail;
}

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = (int)(long)arg; //~ here
        push(n);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, producer, (void *)(i + 1));
    int sum = 0;
    for (int got = 0; got < 4;) {
        struct node *n = pop();
        if (!n) {
            sched_yield();
            continue;
        }
        sum += n->value; //~ here
        free(n);
        got++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 6);
    return 0;
}
