/* GCC's __atomic builtins on plain variables, and lists and locks made of them. */
//~ exit: 0
//~ stdout: sum 6000, maximum 2999, bits 3f, list length 6 sum 15
//~ stdout: structure 3 4
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6, ROUNDS = 500 };

struct node {
    int value;
    struct node *next;
};

struct point {
    _Alignas(8) int x;
    int y;
};

static long sum;
static int maximum, length;
static unsigned char bits, lock;
static struct node *head, nodes[THREADS];

static void *work(void *arg)
{
    struct node *mine = arg;
    int id = mine->value;
    for (int i = 0; i < ROUNDS; i++) {
        __atomic_add_fetch(&sum, 2, __ATOMIC_RELAXED);
        int new = id *ROUNDS + i, old = __atomic_load_n(&maximum, __ATOMIC_ACQUIRE);
        while (old < new && !__atomic_compare_exchange_n(&maximum, &old, new, 1,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ;
    }
    __atomic_fetch_or(&bits, (unsigned char)(1u << id), __ATOMIC_SEQ_CST);
    mine->next = __atomic_load_n(&head, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&head, &mine->next, mine, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    length++;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int total = 0;
    for (int i = 0; i < THREADS; i++) {
        nodes[i].value = i;
        pthread_create(&t[i], NULL, work, &nodes[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (struct node *n = __atomic_exchange_n(&head, NULL, __ATOMIC_ACQUIRE); n; n = n->next)
        total += n->value;
    printf("sum %ld, maximum %d, bits %x, list length %d sum %d\n", sum, maximum, bits, length,
           total);

    struct point from = {3, 4}, shared, to;
    __atomic_store(&shared, &from, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_load(&shared, &to, __ATOMIC_SEQ_CST);
    printf("structure %d %d\n", to.x, to.y);
    return 0;
}
