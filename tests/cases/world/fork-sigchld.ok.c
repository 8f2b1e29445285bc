// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Children are reaped by a handler of SIGCHLD, which only main lets in; the threads that
// start them have a lock.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static volatile sig_atomic_t reaped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void at_child(int number)
{
    int error = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
    errno = error;
}

static void *start(void *arg)
{
    pid_t child = fork();
    must(child >= 0);
    if (child == 0)
        _exit(3);
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct sigaction act;
    sigset_t blocked, old;
    memset(&act, 0, sizeof act);
    act.sa_handler = at_child;
    act.sa_flags = SA_RESTART | SA_NOCLDSTOP;
    sigaction(SIGCHLD, &act, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    pthread_t a, b;
    pthread_create(&a, NULL, start, NULL);
    pthread_create(&b, NULL, start, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (reaped < 2)
        sigsuspend(&old);
    printf("%d reaped\n", (int)reaped);
    return jobs > 2;
}
