// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// One thread takes all signals by sigwait; main joins it before it looks at its count.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int reloads;

static void *signals(void *arg)
{
    sigset_t *set = arg;
    int sig;
    for (;;) {
        if (sigwait(set, &sig) != 0)
            return NULL;
        if (sig == SIGTERM)
            return arg;
        reloads++; //~ here
    }
}

int main(void)
{
    sigset_t set;
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, signals, &set);
    kill(getpid(), SIGHUP);
    pthread_kill(t, SIGTERM);
    pthread_join(t, NULL);
    int seen = reloads;
    return seen > 1;
}
