/* Peterson's algorithm: mutual exclusion with sequentially consistent atomics alone. */
//~ exit: 0
//~ stdout: counter 1000
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants[2], turn;
static int counter;

static void *work(void *arg)
{
    int me = *(int *)arg, other = 1 - me;
    for (int i = 0; i < 500; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, other);
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
            ;
        counter++;
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("counter %d\n", counter);
    return 0;
}
