/* SPDX-License-Identifier: Apache-2.0
 *
 * log: see log.h. A timer draws the line, so that no loop has to look at a clock and work
 * that calls nobody back (reading a file, building a model) is seen as well. The handler
 * only formats into its own buffer and calls write(). */
#include "base/log.h"

#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_MS = 1000,
    TICK_MS = 200,
    PLAIN_FIRST_MS = 10000, /* spent, before a line that stays */
    PLAIN_MS = 10000,       /* between those, on the clock */
    LINE_MAX_BYTES = 200,
    WHAT_MAX_BYTES = 80,
};

static struct {
    char what[WHAT_MAX_BYTES];
    const char *volatile unit;
    volatile uint64_t done, total; /* total 0: not known */
    volatile uint64_t found;
    uint64_t begin_ms;          /* of the command */
    volatile uint64_t plain_ms; /* when the last line that stays was written */
    volatile bool is_new;       /* stage */
    volatile sig_atomic_t shown;
    bool running, has_terminal;
} progress;

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

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

/* What there is to say about the stage, and about the whole command. */
static size_t put_state(char *line, size_t at)
{
    uint64_t budget_ms = stop_budget_ms(), spent_ms = stop_spent_ms();
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
    if (progress.found) {
        at = put(line, at, ", ");
        at = put_number(line, at, progress.found);
        at = put(line, at, " found so far");
    }
    at = put(line, at, ", ");
    at = put_number(line, at, (now_ms() - progress.begin_ms) / 1000);
    at = put(line, at, " s");
    if (budget_ms != UINT64_MAX) {
        at = put(line, at, ", ");
        at = put_number(line, at, budget_ms > spent_ms ? (budget_ms - spent_ms) / 1000 : 0);
        at = put(line, at, " of ");
        at = put_number(line, at, budget_ms / 1000);
        at = put(line, at, " s of time left");
    }
    return at;
}

static void draw(void)
{
    char line[LINE_MAX_BYTES + 8];
    size_t at = put(line, 0, "\r");
    at = put_state(line, at);
    memcpy(line + at, "\033[K", 3);
    progress.shown = 1;
    if (write(STDERR_FILENO, line, at + 3) < 0)
        progress.shown = 0;
}

static void say_plainly(void)
{
    char line[LINE_MAX_BYTES + 8];
    uint64_t now = now_ms();
    bool is_due = progress.is_new || now - progress.plain_ms >= PLAIN_MS;
    if (!is_due || stop_spent_ms() < PLAIN_FIRST_MS)
        return;
    progress.plain_ms = now;
    progress.is_new = false;
    size_t at = put(line, 0, "heddle: ");
    at = put_state(line, at);
    line[at++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, at);
    (void)ignored;
}

static void on_tick(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    if (progress.has_terminal)
        draw();
    else
        say_plainly();
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
    const char *wish = getenv("HEDDLE_PROGRESS");
    if (wish && strcmp(wish, "off") == 0)
        return;
    progress_end();
    progress.has_terminal = isatty(STDERR_FILENO);
    progress.begin_ms = progress.begin_ms ? progress.begin_ms : now_ms();
    size_t len = strlen(what);
    size_t skip = len >= WHAT_MAX_BYTES ? len - WHAT_MAX_BYTES + 1 : 0;
    memcpy(progress.what, what + skip, len - skip + 1);
    progress.unit = NULL;
    progress.is_new = true;
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

void progress_found(uint64_t count)
{
    progress.found = count;
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
