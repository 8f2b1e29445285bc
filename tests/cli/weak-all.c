/* Two threads, as KIND says: what they saw in one line. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { RELAXED = memory_order_relaxed, ACQ = memory_order_acquire, SC = memory_order_seq_cst };
static atomic_int x, y;
static int data, r1, r2, r3;
#define LOAD(x, order) atomic_load_explicit(&x, order)
#define STORE(x, value, order) atomic_store_explicit(&x, value, order)

static void *one(void *arg)
{
#if KIND == 1 /* store buffering, a fence on one side only */
    STORE(x, 1, RELAXED);
    atomic_thread_fence(SC);
    r1 = LOAD(y, RELAXED);
#elif KIND == 2 /* the same with both */
    STORE(x, 1, RELAXED);
    atomic_thread_fence(SC);
    r1 = LOAD(y, RELAXED);
#elif KIND == 3 /* nothing comes between a read-modify-write and what it read */
    r1 = atomic_fetch_add_explicit(&x, 1, RELAXED);
    STORE(y, 1, RELAXED);
#elif KIND == 4 /* coherence of one object */
    STORE(x, 1, RELAXED);
    STORE(x, 2, RELAXED);
#else           /* a message, and a read that only a weak run comes to */
    data = 1;
    STORE(x, 1, RELAXED);
    STORE(y, 1, memory_order_release);
#endif
    return arg;
}

static void *two(void *arg)
{
#if KIND == 1
    STORE(y, 1, RELAXED);
    r2 = LOAD(x, RELAXED);
#elif KIND == 2
    STORE(y, 1, RELAXED);
    atomic_thread_fence(SC);
    r2 = LOAD(x, RELAXED);
#elif KIND == 3
    r2 = LOAD(y, RELAXED);
    r3 = atomic_exchange_explicit(&x, 5, RELAXED);
#elif KIND == 4
    r1 = LOAD(x, RELAXED);
    r2 = LOAD(x, RELAXED);
#else
    if (LOAD(y, ACQ) == 1 && LOAD(x, RELAXED) == 0)
        printf("never\n");
    if (LOAD(x, RELAXED) == 1 && LOAD(y, RELAXED) == 0)
        r2 = data;
#endif
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d %d %d %d %d\n", r1, r2, r3, LOAD(x, RELAXED), LOAD(y, RELAXED));
    return 0;
}
