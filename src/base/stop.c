/* SPDX-License-Identifier: Apache-2.0
 *
 * stop: see stop.h. The report has to be there within a second of the signal. */
#include "base/stop.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>

enum { LATE_MS = 400 };

static volatile sig_atomic_t asked;
static volatile int64_t asked_ms;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void stop_by(int signal)
{
    if (!asked)
        asked_ms = now_ms();
    asked = signal;
}

void stop_catch(void)
{
    struct sigaction action = {.sa_handler = stop_by};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int stop_signal(void)
{
    return asked;
}

int stop_is_late(void)
{
    return asked && now_ms() - asked_ms > LATE_MS;
}

int stop_code(int code)
{
    return asked ? 128 + asked : code;
}
