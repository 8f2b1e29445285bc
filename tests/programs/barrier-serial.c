/* Each round of a barrier has exactly one serial thread, and nobody is a round ahead. */
//~ exit: 0
//~ stdout: serial threads 10 in 10 rounds, ahead 0
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 10 };

static pthread_barrier_t barrier;
static int round_of[THREADS], serial[THREADS], ahead[THREADS];

static void *walk(void *arg)
{
    int me = (int)((int *)arg - round_of);
    for (int r = 1; r <= ROUNDS; r++) {
        round_of[me] = r;
        int rc = pthread_barrier_wait(&barrier);
        serial[me] += rc == PTHREAD_BARRIER_SERIAL_THREAD;
        for (int i = 0; i < THREADS; i++)
            ahead[me] += round_of[i] != r;
        pthread_barrier_wait(&barrier); /* nobody writes before all have looked */
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int serials = 0, aheads = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, walk, &round_of[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        serials += serial[i];
        aheads += ahead[i];
    }
    printf("serial threads %d in %d rounds, ahead %d\n", serials, ROUNDS, aheads);
    return pthread_barrier_destroy(&barrier);
}
