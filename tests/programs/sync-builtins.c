/* The older __sync builtins: arithmetic, compare-and-swap, lock, full barrier. */
//~ exit: 0
//~ stdout: added 4000, swapped 4000, locked 4000, flags 0f
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000 };

static int added, swapped, locked, lock;
static unsigned flags;
static int id[THREADS];

static void *work(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        __sync_fetch_and_add(&added, 1);
        int old;
        do
            old = __sync_fetch_and_add(&swapped, 0);
        while (!__sync_bool_compare_and_swap(&swapped, old, old + 1));
        while (__sync_lock_test_and_set(&lock, 1))
            ;
        locked++;
        __sync_lock_release(&lock);
    }
    __sync_or_and_fetch(&flags, 1u << me);
    __sync_synchronize();
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("added %d, swapped %d, locked %d, flags %02x\n", added,
           __sync_val_compare_and_swap(&swapped, -1, 0), locked, flags);
    return 0;
}
