// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A timer of 20 ms looks at the table by an atomic, filled or not.
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static atomic_int filled;
static atomic_int looked;

static void on_timer(union sigval value)
{
    (void)value;
    int seen = filled; //~ here
    atomic_store(&looked, seen < 2 ? 1 : 2);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    struct itimerspec once = {{0, 0}, {0, 20000000}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return 2;
    timer_settime(timer, 0, &once, NULL);
    filled = 1; //~ here
    while (!atomic_load(&looked))
        usleep(5000);
    puts("looked");
    return atomic_load(&looked) != 1;
}
