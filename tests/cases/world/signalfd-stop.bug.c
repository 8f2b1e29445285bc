// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A thread waits for SIGTERM on a signalfd; who sends it tells the reason too late.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int fd, reason;

static void *waiter(void *arg)
{
    struct signalfd_siginfo info;
    must(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGTERM);
    printf("stopped for reason %d\n", reason); //~ here
    return arg;
}

int main(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    fd = signalfd(-1, &mask, 0);
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    kill(getpid(), SIGTERM);
    reason = 3; //~ here
    pthread_join(t, NULL);
    return 0;
}
