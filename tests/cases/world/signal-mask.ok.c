// SPDX-License-Identifier: Apache-2.0
// A handler that is set says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (signal(SIGUSR1, SIG_IGN) == SIG_ERR)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct sigaction was;
    while (sigaction(SIGUSR1, NULL, &was) < 0 || was.sa_handler != SIG_IGN)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;

    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
