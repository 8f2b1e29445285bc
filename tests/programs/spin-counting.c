/* A thread that spins on a flag counts its rounds in shared memory. */
//~ exit: 0
//~ stdout: waited at least once: yes, value 17
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int spinning, ready;
static atomic_long rounds; /* shared: every round writes */
static int value;

static void *wait_busily(void *arg)
{
    while (!atomic_load(&ready)) {
        atomic_fetch_add(&rounds, 1);
        atomic_store(&spinning, 1);
    }
    *(int *)arg = value;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, wait_busily, &seen);
    while (!atomic_load(&spinning))
        ;
    value = 17;
    atomic_store(&ready, 1);
    pthread_join(t, NULL);
    printf("waited at least once: %s, value %d\n", rounds > 0 ? "yes" : "no", seen);
    return 0;
}
