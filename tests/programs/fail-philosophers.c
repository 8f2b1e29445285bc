/* Four philosophers hold their left forks and wait for the right ones. */
//~ outcome: deadlock
//~ stdout: all have their left forks
#include <pthread.h>
#include <stdio.h>

enum { SEATS = 4 };

static pthread_mutex_t fork_at[SEATS];
static pthread_barrier_t seated;
static int seat[SEATS];

static void *dine(void *arg)
{
    int me = *(int *)arg;
    pthread_mutex_lock(&fork_at[me]);
    if (pthread_barrier_wait(&seated) == PTHREAD_BARRIER_SERIAL_THREAD) {
        puts("all have their left forks");
        fflush(stdout);
    }
    pthread_mutex_lock(&fork_at[(me + 1) % SEATS]);
    pthread_mutex_unlock(&fork_at[(me + 1) % SEATS]);
    pthread_mutex_unlock(&fork_at[me]);
    return NULL;
}

int main(void)
{
    pthread_t t[SEATS];
    pthread_barrier_init(&seated, NULL, SEATS);
    for (int i = 0; i < SEATS; i++) {
        seat[i] = i;
        pthread_mutex_init(&fork_at[i], NULL);
    }
    for (int i = 0; i < SEATS; i++)
        pthread_create(&t[i], NULL, dine, &seat[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(t[i], NULL);
    puts("unreachable");
    return 0;
}
