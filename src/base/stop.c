/* SPDX-License-Identifier: Apache-2.0
 *
 * stop: see stop.h. The report has to be there within a second of the signal. */
#include "base/stop.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    LATE_MS = 400,
    LOOK_MS = 20,      /* what was spent is not looked up more often */
    WEIGH_MS = 100,    /* nor what memory is used */
    CLOCK_SHARE = 8,   /* one part of the time on the clock counts in any case */
    CHILDREN_MAX = 64, /* that are counted while they run */
    TIMES_RUN = 30,
    LEAST_MS = 20000,
    MOST_MS = 600000,
};

static volatile sig_atomic_t asked;
static volatile int64_t asked_ms;

static atomic_ullong limit_ms = UINT64_MAX; /* of what is being done now */
static atomic_int over, was_cut;            /* why, or 0 */
static atomic_ullong memory_bytes;
static atomic_llong weighed_ms;
static atomic_llong looked_ms; /* when it was looked up for the last time */
static uint64_t budget_ms = UINT64_MAX;
static bool is_named; /* by the user */
static uint64_t runs_ms, runs_count;
static uint64_t begin_cpu_ms;
static int64_t begin_ms;
static _Atomic pid_t children[CHILDREN_MAX];

static int64_t clock_ms(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) < 0 ? 0 : (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t now_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
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

/* ---- time -------------------------------------------------------------------------------- */

static uint64_t children_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    uint64_t ms = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
                  (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
    for (unsigned i = 0; i < CHILDREN_MAX; i++) {
        clockid_t clock;
        pid_t pid = children[i];
        if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0)
            ms += (uint64_t)clock_ms(clock);
    }
    return ms;
}

static uint64_t cpu_ms(void)
{
    return (uint64_t)clock_ms(CLOCK_PROCESS_CPUTIME_ID) + children_ms();
}

void stop_begin(void)
{
    begin_cpu_ms = cpu_ms();
    begin_ms = now_ms();
}

uint64_t stop_spent_ms(void)
{
    uint64_t cpu = cpu_ms() - begin_cpu_ms;
    uint64_t clock = begin_ms ? (uint64_t)(now_ms() - begin_ms) / CLOCK_SHARE : 0;
    return cpu > clock ? cpu : clock;
}

static void set_limit(uint64_t ms)
{
    limit_ms = ms;
    over = 0;
    looked_ms = weighed_ms = 0;
}

void stop_after(uint64_t ms)
{
    is_named = true;
    budget_ms = ms;
    set_limit(ms);
}

void stop_after_run(uint64_t took_ms)
{
    runs_ms += took_ms;
    runs_count++;
    if (is_named)
        return;
    uint64_t least = LEAST_MS * runs_count, times = TIMES_RUN * runs_ms;
    budget_ms = times > least ? times : least;
    budget_ms = budget_ms < MOST_MS ? budget_ms : MOST_MS;
    set_limit(budget_ms);
}

uint64_t stop_budget_ms(void)
{
    return budget_ms;
}

uint64_t stop_left_ms(void)
{
    uint64_t limit = limit_ms, spent = stop_spent_ms();
    return limit == UINT64_MAX ? UINT64_MAX : limit > spent ? limit - spent : 0;
}

void stop_child(pid_t pid)
{
    for (unsigned i = 0; i < CHILDREN_MAX; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&children[i], &none, pid))
            return;
    }
}

void stop_child_gone(pid_t pid)
{
    for (unsigned i = 0; i < CHILDREN_MAX; i++)
        if (children[i] == pid)
            children[i] = 0;
}

void stop_memory(uint64_t bytes)
{
    memory_bytes = bytes;
}

uint64_t stop_memory_bytes(void)
{
    return memory_bytes;
}

/* The second number of /proc/PID/statm, in pages. */
uint64_t stop_resident(pid_t pid)
{
    char path[40], text[80];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool is_full(int64_t now)
{
    uint64_t most = memory_bytes;
    if (most == 0 || now - weighed_ms < WEIGH_MS)
        return false;
    weighed_ms = now;
    return stop_resident(getpid()) > most;
}

/* Time only grows: once a part is over it stays so until it ends. */
static int look_over(void)
{
    if (over)
        return over;
    int64_t now = clock_ms(CLOCK_MONOTONIC_COARSE);
    if (now - looked_ms < LOOK_MS)
        return 0;
    looked_ms = now;
    if (limit_ms != UINT64_MAX && stop_spent_ms() >= limit_ms)
        over = STOP_TIME;
    else if (is_full(now))
        over = STOP_MEMORY;
    if (over)
        was_cut = over;
    return over;
}

struct stop_part stop_part_begin(unsigned percent)
{
    struct stop_part part = {.outer = limit_ms};
    uint64_t left = stop_left_ms();
    if (left != UINT64_MAX)
        set_limit(limit_ms - left + left * percent / 100);
    return part;
}

bool stop_part_end(struct stop_part part)
{
    int cut = over;
    if (cut == STOP_MEMORY)
        malloc_trim(0); /* or what was given back still counts */
    set_limit(part.outer);
    return cut != 0;
}

void stop_cut(int why)
{
    was_cut = why;
}

int stop_was_cut(void)
{
    return was_cut;
}

/* ---- both -------------------------------------------------------------------------------- */

int stop_came(void)
{
    return asked;
}

int stop_signal(void)
{
    return asked ? asked : look_over();
}

/* Spent time may be overdrawn a little for what has been found. */
int stop_is_late(void)
{
    if (asked)
        return now_ms() - asked_ms > LATE_MS;
    uint64_t limit = limit_ms;
    return over && (over == STOP_MEMORY || stop_spent_ms() > limit + LATE_MS + limit / 8);
}

int stop_code(int code)
{
    return asked ? 128 + asked : code;
}
