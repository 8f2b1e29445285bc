/* C11 atomics: relaxed counting, release/acquire publication, a seq_cst ticket. */
//~ exit: 0
//~ stdout: relaxed 4000, published 123 456, tickets 4000 distinct yes
//~ std: c11
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000 };

static atomic_int counter, ticket;
static atomic_int *_Atomic published;
static atomic_int pair[2];
static atomic_char taken[THREADS * ROUNDS];
static int seen[2];

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        int mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_seq_cst);
        atomic_fetch_add_explicit(&taken[mine], 1, memory_order_acq_rel);
    }
    return arg;
}

static void *publish(void *arg)
{
    atomic_store_explicit(&pair[0], 123, memory_order_relaxed);
    atomic_init(&pair[1], 456);
    atomic_store_explicit(&published, pair, memory_order_release);
    return arg;
}

static void *subscribe(void *arg)
{
    atomic_int *p;
    while ((p = atomic_load_explicit(&published, memory_order_acquire)) == NULL)
        ;
    seen[0] = atomic_load_explicit(&p[0], memory_order_relaxed);
    seen[1] = atomic_load_explicit(&p[1], memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t[THREADS + 2];
    pthread_create(&t[THREADS], NULL, subscribe, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, count, NULL);
    pthread_create(&t[THREADS + 1], NULL, publish, NULL);
    for (int i = 0; i < THREADS + 2; i++)
        pthread_join(t[i], NULL);
    int distinct = 1;
    for (int i = 0; i < THREADS * ROUNDS; i++)
        distinct = distinct && atomic_load(&taken[i]) == 1;
    printf("relaxed %d, published %d %d, ", atomic_load(&counter), seen[0], seen[1]);
    printf("tickets %d distinct %s\n", atomic_load(&ticket), distinct ? "yes" : "no");
    return 0;
}
