/* SPDX-License-Identifier: Apache-2.0
 *
 * log: see log.h. A timer draws the line, so that no loop has to look at a clock and work
 * that calls nobody back (reading a file, building a model) is seen as well. The handler
 * only formats into its own buffer and calls write(). */
#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, TICK_MS = 200, LINE_MAX_BYTES = 160, WHAT_MAX_BYTES = 80 };

static struct {
    char what[WHAT_MAX_BYTES];
    const char *volatile unit;
    volatile uint64_t done, total; /* total 0: not known */
    volatile uint32_t ticks;
    volatile sig_atomic_t shown;
    bool running;
} progress;

static size_t put(char *line, size_t at, const char *text)
{
    while (*text && at < LINE_MAX_BYTES)
        line[at++] = *text++;
    return at;
}

static size_t put_number(char *line, size_t at, uint64_t value)
{
    char digits[21];
    size_t i = sizeof digits - 1;
    digits[i] = 0;
    do
        digits[--i] = (char)('0' + value % 10);
    while (value /= 10);
    return put(line, at, digits + i);
}

static void on_tick(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    char line[LINE_MAX_BYTES];
    size_t at = put(line, 0, "\r");
    at = put(line, at, progress.what);
    if (progress.unit) {
        at = put(line, at, ", ");
        at = put_number(line, at, progress.done);
        at = put(line, at, progress.total ? " of " : " ");
        if (progress.total)
            at = put_number(line, at, progress.total);
        at = put(line, at, progress.total ? " " : "");
        at = put(line, at, progress.unit);
    }
    at = put(line, at, ", ");
    at = put_number(line, at, (FIRST_MS + (uint64_t)progress.ticks * TICK_MS) / 1000);
    at = put(line, at, " s");
    if (progress.total && progress.done) {
        uint64_t ms = FIRST_MS + (uint64_t)progress.ticks * TICK_MS;
        at = put(line, at, ", about ");
        at = put_number(line, at,
                        ms * (progress.total - progress.done) / progress.done / 1000 + 1);
        at = put(line, at, " s to go");
    }
    at = put(line, at, "\033[K");
    progress.ticks++;
    progress.shown = 1;
    if (write(STDERR_FILENO, line, at) < 0)
        progress.shown = 0;
    errno = saved;
}

static void set_timer(int first_ms, int tick_ms)
{
    struct itimerval t = {.it_interval = {.tv_usec = tick_ms * 1000},
                          .it_value = {.tv_sec = first_ms / 1000}};
    setitimer(ITIMER_REAL, &t, NULL);
}

void progress_begin(const char *what)
{
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    size_t len = strlen(what);
    size_t skip = len >= WHAT_MAX_BYTES ? len - WHAT_MAX_BYTES + 1 : 0;
    memcpy(progress.what, what + skip, len - skip + 1);
    progress.unit = NULL;
    progress.ticks = 0;
    progress.shown = 0;
    progress.running = true;
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    set_timer(FIRST_MS, TICK_MS);
}

void progress_count(uint64_t done, const char *unit)
{
    progress_of(done, 0, unit);
}

void progress_of(uint64_t done, uint64_t total, const char *unit)
{
    progress.done = done;
    progress.total = total < done ? 0 : total;
    progress.unit = unit;
}

void progress_done(uint64_t done)
{
    progress.done = done;
}

void progress_end(void)
{
    if (!progress.running)
        return;
    set_timer(0, 0);
    signal(SIGALRM, SIG_DFL);
    progress.running = false;
    if (progress.shown && write(STDERR_FILENO, "\r\033[K", 4) < 0)
        progress.shown = 0;
}
