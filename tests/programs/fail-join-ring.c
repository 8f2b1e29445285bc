/* Three threads join one another in a ring, which no error code tells. */
//~ outcome: deadlock
//~ stdout: ring closed
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { THREADS = 3 };

static pthread_t t[THREADS];
static sem_t all_known;
static int id[THREADS];

static void *join_next(void *arg)
{
    sem_wait(&all_known);
    pthread_join(t[(*(int *)arg + 1) % THREADS], NULL);
    return NULL;
}

int main(void)
{
    sem_init(&all_known, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, join_next, &id[i]);
    }
    puts("ring closed");
    fflush(stdout);
    for (int i = 0; i < THREADS; i++)
        sem_post(&all_known);
    pthread_exit(NULL); /* main is not part of it */
}
