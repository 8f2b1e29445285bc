/* One thread takes all signals with sigwait; sigtimedwait gives up. */
//~ exit: 0
//~ stdout: received INT USR1 TERM, timed wait EAGAIN
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sigset_t set;
static sem_t taken;
static int received[3], timed_error;

static void *receiver(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sigwait(&set, &received[i]);
        sem_post(&taken);
    }
    struct timespec span = {.tv_nsec = 3000000};
    do
        timed_error = sigtimedwait(&set, NULL, &span) == -1 ? errno : 0;
    while (timed_error == EINTR);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&taken, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* inherited by the thread */
    pthread_create(&t, NULL, receiver, NULL);
    kill(getpid(), SIGINT);
    sem_wait(&taken);
    pthread_kill(t, SIGUSR1);
    sem_wait(&taken);
    kill(getpid(), SIGTERM);
    sem_wait(&taken);
    pthread_join(t, NULL);
    printf("received %s %s %s, timed wait %s\n", sigabbrev_np(received[0]),
           sigabbrev_np(received[1]), sigabbrev_np(received[2]), strerrorname_np(timed_error));
    return 0;
}
