// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Signals come to an event loop by signalfd; the loop and a worker count jobs without a lock.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int jobs;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++)
        jobs++; //~ here
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    return arg;
}

int main(void)
{
    sigset_t mask;
    struct epoll_event event = {.events = EPOLLIN};
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    int fd = signalfd(-1, &mask, SFD_NONBLOCK), set = epoll_create1(0), stop = 0;
    must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    jobs++; //~ here
    while (!stop) {
        struct signalfd_siginfo info;
        must(epoll_wait(set, &event, 1, -1) == 1);
        while (read(fd, &info, sizeof info) == sizeof info)
            stop |= info.ssi_signo == SIGTERM;
    }
    pthread_join(t, NULL);
    printf("%d jobs\n", (int)jobs);
    return 0;
}
