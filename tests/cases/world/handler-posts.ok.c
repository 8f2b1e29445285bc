// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A handler tells a thread by a semaphore, which is safe there; what it leaves is atomic.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static sem_t told;
static atomic_int last;

static void handle(int sig)
{
    last = sig; //~ here
    sem_post(&told);
}

static void *listen_to(void *arg)
{
    while (sem_wait(&told) != 0)
        ;
    *(int *)arg = last; //~ here
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t t;
    struct sigaction a = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sem_init(&told, 0, 0);
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &a, NULL);
    pthread_create(&t, NULL, listen_to, &seen);
    kill(getpid(), SIGUSR1);
    pthread_join(t, NULL);
    return seen != SIGUSR1 && seen != SIGUSR2 && seen != 0;
}
