// SPDX-License-Identifier: Apache-2.0
// Blocked signals are read from a descriptor, through epoll: those we send ourselves, those of
// a child and of a timer; the mask can be changed.
//~ stdout: nothing yet: EAGAIN
//~ stdout: hup from us
//~ stdout: value 7
//~ stdout: child ended with 3
//~ stdout: alarm
//~ stdout: stopped
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int seen;

static void tell(const struct signalfd_siginfo *s)
{
    if (s->ssi_signo == SIGHUP)
        printf("hup from %s\n", s->ssi_pid == (uint32_t)getpid() ? "us" : "others");
    else if (s->ssi_signo == (uint32_t)SIGRTMIN)
        printf("value %d\n", s->ssi_int);
    else if (s->ssi_signo == SIGCHLD)
        printf("child ended with %d\n", s->ssi_status);
    else if (s->ssi_signo == SIGALRM)
        puts("alarm");
}

static void *serve(void *arg)
{
    int fd = *(int *)arg, set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    struct signalfd_siginfo s;
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    for (;;) {
        if (epoll_wait(set, &event, 1, -1) != 1)
            continue;
        while (read(fd, &s, sizeof s) == sizeof s) {
            if (s.ssi_signo == SIGTERM)
                return NULL;
            tell(&s);
            pthread_mutex_lock(&lock);
            seen++;
            pthread_cond_signal(&changed);
            pthread_mutex_unlock(&lock);
        }
    }
}

static void await(int count)
{
    pthread_mutex_lock(&lock);
    while (seen < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    sigset_t set;
    struct signalfd_siginfo s;
    pthread_t t;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    printf("nothing yet: %s\n", read(fd, &s, sizeof s) < 0 ? strerrorname_np(errno) : "?");
    pthread_create(&t, NULL, serve, &fd);
    kill(getpid(), SIGHUP);
    await(1);
    sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 7});
    await(2);
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    await(3);
    waitpid(child, NULL, 0);
    alarm(1);
    await(4);
    sigdelset(&set, SIGHUP);
    signalfd(fd, &set, 0);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    pthread_join(t, NULL);
    puts("stopped");
    return 0;
}
