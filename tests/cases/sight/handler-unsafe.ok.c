// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A handler writes by a function that is safe there, and sets a flag.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void handle(int sig)
{
    static const char text[] = "signal\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(sig);
    caught = 1;
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        char *copy = strdup(arg);
        if (copy != NULL)
            copy[0] = '-';
        free(copy);
    }
    return NULL;
}

int main(void)
{
    char name[] = "worker";
    pthread_t t;
    struct sigaction act = {.sa_handler = handle};
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, work, name);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return caught > 1;
}
