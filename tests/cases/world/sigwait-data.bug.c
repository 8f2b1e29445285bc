// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|failure
// pthread_kill tells the thread in sigwait that the value is there before it is.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static sigset_t mask;
static int ready, result;

static void *wait_for_it(void *arg)
{
    int number = 0;
    must(sigwait(&mask, &number) == 0 && number == SIGUSR1);
    result = ready * 2; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    pthread_create(&t, NULL, wait_for_it, NULL);
    must(pthread_kill(t, SIGUSR1) == 0);
    ready = 7; //~ here
    pthread_join(t, NULL);
    printf("%d\n", result);
    return result != 14;
}
