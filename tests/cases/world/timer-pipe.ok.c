// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A POSIX timer's signal is passed on by a pipe to the thread that counts.
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ends[2], ticks;

static void tick(int sig)
{
    char c = (char)sig;
    if (write(ends[1], &c, 1) != 1)
        _exit(3);
}

static void *count(void *arg)
{
    char c;
    while (ticks < 3 && read(ends[0], &c, 1) == 1)
        ticks++; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    timer_t timer;
    struct sigaction a = {.sa_handler = tick, .sa_flags = SA_RESTART};
    struct itimerspec often = {{0, 5000000}, {0, 5000000}};
    if (pipe(ends) != 0 || sigaction(SIGALRM, &a, NULL) != 0)
        return 1;
    pthread_create(&t, NULL, count, NULL);
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0 ||
        timer_settime(timer, 0, &often, NULL) != 0)
        return 1;
    pthread_join(t, NULL);
    timer_delete(timer);
    int seen = ticks;
    return seen != 3;
}
