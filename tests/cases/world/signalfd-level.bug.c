// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A thread reads the signals; the configuration it loads is used by the worker without a lock.

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int level, fd;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *listen_to(void *arg)
{
    struct signalfd_siginfo info;
    for (;;) {
        must(read(fd, &info, sizeof info) == (ssize_t)sizeof info);
        if (info.ssi_signo == SIGTERM)
            return arg;
        level = 2; //~ here
    }
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, 0);
    must(fd >= 0);
    pthread_create(&t, NULL, listen_to, NULL);
    kill(getpid(), SIGHUP);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += level; //~ here
    }
    kill(getpid(), SIGTERM);
    pthread_join(t, NULL);
    return sum > 6;
}
