/* A sequence lock: readers retry until they saw no writer, and never use a torn pair. */
//~ exit: 0
//~ stdout: final 300 600, torn 0
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WRITES = 300, READERS = 2 };

static atomic_uint sequence;
static atomic_int once, twice;

static void *write_pairs(void *arg)
{
    for (int i = 1; i <= WRITES; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&once, i);
        atomic_store(&twice, 2 * i);
        atomic_fetch_add(&sequence, 1);
    }
    return arg;
}

static void *read_pairs(void *arg)
{
    int *torn = arg, last = 0;
    while (last < WRITES) {
        unsigned before = atomic_load(&sequence);
        int a = atomic_load(&once), b = atomic_load(&twice);
        if (before % 2 == 1 || atomic_load(&sequence) != before)
            continue;
        *torn += b != 2 * a || a < last;
        last = a;
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r[READERS];
    int torn[READERS] = {0};
    for (int i = 0; i < READERS; i++)
        pthread_create(&r[i], NULL, read_pairs, &torn[i]);
    pthread_create(&w, NULL, write_pairs, NULL);
    pthread_join(w, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(r[i], NULL);
    printf("final %d %d, torn %d\n", atomic_load(&once), atomic_load(&twice),
           torn[0] + torn[1]);
    return 0;
}
