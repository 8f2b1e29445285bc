/* One broadcast wakes every waiter of each of three generations. */
//~ exit: 0
//~ stdout: woken 5 5 5
#include <pthread.h>
#include <stdio.h>

enum { WAITERS = 5, GENERATIONS = 3 };

static pthread_mutex_t m;
static pthread_cond_t opened, arrived;
static int generation, waiting, woken[GENERATIONS];

static void *waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    for (int g = 0; g < GENERATIONS; g++) {
        waiting++;
        pthread_cond_signal(&arrived);
        while (generation == g)
            pthread_cond_wait(&opened, &m);
        woken[g]++;
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[WAITERS];
    pthread_mutex_init(&m, NULL);
    pthread_cond_init(&opened, NULL);
    pthread_cond_init(&arrived, NULL);
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    for (int g = 0; g < GENERATIONS; g++) {
        pthread_mutex_lock(&m);
        while (waiting < WAITERS)
            pthread_cond_wait(&arrived, &m);
        waiting = 0;
        generation++;
        pthread_cond_broadcast(&opened);
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < WAITERS; i++)
        pthread_join(t[i], NULL);
    printf("woken %d %d %d\n", woken[0], woken[1], woken[2]);
    pthread_cond_destroy(&opened);
    pthread_cond_destroy(&arrived);
    return pthread_mutex_destroy(&m);
}
