// SPDX-License-Identifier: Apache-2.0
// Signals of real time do not merge: each comes, with its value, in the order in which they
// were sent; ordinary ones that are pending merge.
//~ stdout: handled 1 2 3, hups 1
//~ stdout: waited for 10 20 30 40, of lower number first: 5
//~ stdout: 3 to a thread, then 4 to the process: 7
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int values[8], count, hups, taken;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGHUP)
        hups++;
    else
        values[count++] = info->si_value.sival_int;
}

static void send_value(int number, int value)
{
    if (sigqueue(getpid(), number, (union sigval){.sival_int = value}) != 0)
        puts("not sent");
}

static void *take_seven(void *arg)
{
    sigset_t set = *(sigset_t *)arg;
    siginfo_t info;
    for (int i = 0; i < 7; i++)
        if (sigwaitinfo(&set, &info) == SIGRTMIN + 2)
            taken++;
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigset_t set, none;
    siginfo_t info;
    int got[5];
    pthread_t t;
    sigaction(SIGRTMIN, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigemptyset(&none);
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    for (int i = 1; i <= 3; i++) {
        send_value(SIGRTMIN, i);
        kill(getpid(), SIGHUP);
    }
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    printf("handled %d %d %d, hups %d\n", values[0], values[1], values[2], hups);

    pthread_sigmask(SIG_SETMASK, &set, NULL);
    for (int i = 1; i <= 4; i++)
        send_value(SIGRTMIN + 2, 10 * i);
    send_value(SIGRTMIN + 1, 5);
    for (int i = 0; i < 5; i++)
        got[i] = sigwaitinfo(&set, &info) > 0 ? info.si_value.sival_int : -1;
    printf("waited for %d %d %d %d, of lower number first: %d\n", got[1], got[2], got[3],
           got[4], got[0]);

    pthread_create(&t, NULL, take_seven, &set);
    for (int i = 0; i < 3; i++)
        pthread_kill(t, SIGRTMIN + 2);
    for (int i = 0; i < 4; i++)
        kill(getpid(), SIGRTMIN + 2);
    pthread_join(t, NULL);
    printf("3 to a thread, then 4 to the process: %d\n", taken);
    return 0;
}
