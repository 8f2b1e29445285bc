// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A handler tells a thread by a semaphore; the number it leaves is changed elsewhere too.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static sem_t told;
static int last;

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
    kill(getpid(), SIGUSR2);
    last = 0; //~ here
    pthread_join(t, NULL);
    return seen != SIGUSR1 && seen != SIGUSR2 && seen != 0;
}
