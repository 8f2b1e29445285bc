/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0 | assert
 * Handlers by raise, kill, pthread_kill; into a wait, a semaphore, a sleep; masks. Sleepers
 * wake in order, unless a policy wants otherwise: both signals may come before the long
 * sleep. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static sem_t s;
static int seen, by;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void handler(int signal)
{
    (void)signal;
    W(seen, R(seen) + 1);
    sem_post(&s);
}

static void with_info(int signal, siginfo_t *info, void *context)
{
    (void)context;
    assert(info->si_signo == signal);
    W(by, signal);
}

static void *waits(void *arg)
{
    struct timespec hour = {3600, 0}, rest = {0, 0};
    assert(nanosleep(&hour, &rest) == -1 && errno == EINTR && rest.tv_sec > 3000);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    struct sigaction a = {.sa_handler = handler}, old;
    sigset_t set;
    pthread_t t;
    sem_init(&s, 0, 0);
    assert(sigaction(SIGUSR1, &a, NULL) == 0);
    assert(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == handler);
    raise(SIGUSR1);
    assert(R(seen) == 1 && sem_wait(&s) == 0);
    kill(getpid(), SIGUSR1);
    assert(R(seen) == 2 && sem_wait(&s) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    assert(R(seen) == 2);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    assert(R(seen) == 3 && sem_wait(&s) == 0);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, waits, NULL);
    usleep(1000);
    pthread_kill(t, SIGUSR1);
    sem_wait(&s);
    usleep(1000);
    pthread_kill(t, SIGUSR1);
    usleep(1000);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    assert(R(seen) == 5);
    a.sa_flags = SA_SIGINFO;
    a.sa_sigaction = with_info;
    sigaction(SIGUSR2, &a, NULL);
    raise(SIGUSR2);
    assert(R(by) == SIGUSR2);
    return 0;
}
