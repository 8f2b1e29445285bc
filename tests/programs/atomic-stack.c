/* A lock-free stack: many push with compare-exchange, one takes everything with exchange. */
//~ exit: 0
//~ stdout: taken 1500, sum 1124250, each thread's nodes newest first: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, NODES = 500 };

struct node {
    int owner, value;
    struct node *next;
};

static struct node *_Atomic top;

static void *push(void *arg)
{
    for (int i = 0; i < NODES; i++) {
        struct node *n = malloc(sizeof *n);
        n->owner = *(int *)arg;
        n->value = n->owner * NODES + i;
        n->next = atomic_load_explicit(&top, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
                                                      memory_order_relaxed))
            ;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int id[THREADS], taken = 0, sum = 0, ordered = 1, joined = 0;
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, push, &id[i]);
    }
    while (taken < THREADS * NODES) {
        int newest[THREADS] = {1 << 30, 1 << 30, 1 << 30};
        struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
        while (n != NULL) {
            struct node *next = n->next;
            ordered = ordered && n->value < newest[n->owner];
            newest[n->owner] = n->value;
            sum += n->value;
            taken++;
            free(n);
            n = next;
        }
    }
    for (; joined < THREADS; joined++)
        pthread_join(t[joined], NULL);
    printf("taken %d, sum %d, each thread's nodes newest first: %s\n", taken, sum,
           ordered ? "yes" : "no");
    return 0;
}
