// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Handlers that allocate and print: one signal is blocked except where the thread waits for it,
// one comes by raise.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t caught;

static void handle(int sig)
{
    free(malloc((size_t)sig));
    printf("%d\n", sig);
    caught++;
}

static void *work(void *arg)
{
    sigset_t open;
    free(malloc(8));
    raise(SIGUSR2);
    sigemptyset(&open);
    while (caught < 2)
        sigsuspend(&open);
    return arg;
}

int main(void)
{
    pthread_t t;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    signal(SIGUSR1, handle);
    signal(SIGUSR2, handle);
    pthread_create(&t, NULL, work, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
