/* A signal from an interval timer ends sigsuspend in main while another thread works. */
//~ exit: 0
//~ stdout: alarms 3, worker counted 1000
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static void *count(void *arg)
{
    for (int i = 0; i < 1000; i++)
        ++*(int *)arg;
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    sigset_t blocked, during;
    pthread_t t;
    int counted = 0;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &blocked, &during); /* handled in sigsuspend only */
    sigaction(SIGALRM, &action, NULL);
    pthread_create(&t, NULL, count, &counted);

    struct itimerval every = {.it_value.tv_usec = 2000, .it_interval.tv_usec = 2000};
    setitimer(ITIMER_REAL, &every, NULL);
    while (alarms < 3)
        sigsuspend(&during);
    struct itimerval off = {0};
    setitimer(ITIMER_REAL, &off, NULL);
    pthread_join(t, NULL);
    printf("alarms %d, worker counted %d\n", (int)alarms, counted);
    return 0;
}
