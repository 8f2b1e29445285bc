/* A barrier for three at which only two arrive. */
//~ outcome: deadlock
//~ stdout: the third left
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;

static void *arrive(void *arg)
{
    if (arg != NULL)
        pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    int present = 1;
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, arrive, i < 2 ? &present : NULL);
    pthread_join(t[2], NULL);
    puts("the third left");
    fflush(stdout);
    pthread_join(t[0], NULL);
    puts("unreachable");
    return 0;
}
