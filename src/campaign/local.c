/* SPDX-License-Identifier: Apache-2.0
 *
 * local: the processors of this machine as an engine. A process for each unit, so many at a
 * time; a unit that leaves no result is tried again, three times in all. */
#include "campaign/campaign-parts.h"

#include "run/run.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES_MAX = 3, WORKERS_MAX = 1024 };

struct worker {
    pid_t pid; /* 0: free */
    uint64_t unit;
};

struct engine {
    struct campaign *c;
    const struct campaign_round *r;
    struct worker workers[WORKERS_MAX];
    uint32_t jobs, busy;
    uint64_t next, done; /* units of the round */
    uint8_t *tries;      /* owned: by unit */
    VEC(uint64_t) again;
    void (*say)(const char *line);
    bool stops;
    struct err *err;
    bool failed;
};

/* Each has a processor of its own: what runs in it asks for the first that it may use. */
static void pin(uint32_t worker)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) < 0)
        return;
    uint32_t which = worker % (uint32_t)CPU_COUNT(&all);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && which-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1)
        sched_setaffinity(0, sizeof one, &one);
}

static _Noreturn void be_worker(const struct engine *e, uint32_t worker, uint64_t unit)
{
    struct err err;
    pin(worker);
    enum unit_end end = campaign_do(e->c, unit, &err);
    if (end == UNIT_REFUSED)
        fprintf(stderr, "heddle: unit %llu: %s\n", (unsigned long long)unit, err.text);
    _exit((int)end);
}

static void start(struct engine *e, uint64_t unit)
{
    uint32_t i = 0;
    while (e->workers[i].pid)
        i++;
    pid_t pid = fork();
    if (pid == 0)
        be_worker(e, i, unit);
    if (pid < 0) {
        e->failed = e->stops = true;
        err_sys(e->err, "cannot start a process");
        return;
    }
    e->workers[i] = (struct worker){pid, unit};
    e->busy++;
}

/* The next unit without a result; UINT64_MAX: none is left to begin. */
static uint64_t take_next(struct engine *e)
{
    if (e->again.len > 0)
        return e->again.at[--e->again.len];
    while (e->next < e->r->count) {
        uint64_t unit = e->r->first + e->next++;
        if (!campaign_has_result(e->c, unit))
            return unit;
        e->done++;
    }
    return UINT64_MAX;
}

static void retry(struct engine *e, uint64_t unit)
{
    uint8_t *tries = &e->tries[unit - e->r->first];
    if (++*tries < TRIES_MAX) {
        vec_push(&e->again, unit);
        return;
    }
    e->done++;
    if (campaign_give_up(e->c, unit, e->err) < 0)
        e->failed = e->stops = true;
}

static void took(struct engine *e, uint64_t unit, int status)
{
    AUTO(str) struct str line = {0};
    int end = WIFEXITED(status) ? WEXITSTATUS(status) : UNIT_FAILED;
    if (end == UNIT_REFUSED) {
        e->stops = true;
        return;
    }
    if (end == UNIT_DONE)
        e->done++;
    else if (!e->stops && !run_signal())
        retry(e, unit);
    str_add(&line, "round %u: %llu of %llu units", e->r->number, (unsigned long long)e->done,
            (unsigned long long)e->r->count);
    e->say(line.at);
}

static struct worker *worker_of(struct engine *e, pid_t pid)
{
    for (uint32_t i = 0; i < e->jobs; i++)
        if (e->workers[i].pid == pid)
            return &e->workers[i];
    return NULL;
}

static void tell_workers(const struct engine *e)
{
    for (uint32_t i = 0; i < e->jobs; i++)
        if (e->workers[i].pid)
            kill(e->workers[i].pid, SIGTERM);
}

static void wait_for_one(struct engine *e)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR && run_signal()) {
        e->stops = true;
        tell_workers(e);
    }
    struct worker *w = pid > 0 ? worker_of(e, pid) : NULL;
    if (!w)
        return;
    w->pid = 0;
    e->busy--;
    took(e, w->unit, status);
}

/* 1: stopped before its end. */
static int run_round(struct engine *e)
{
    e->tries = mem_zeroed(e->r->count, 1);
    e->next = e->done = 0;
    for (;;) {
        e->stops |= run_signal() != 0 || campaign_is_stopped(e->c) || campaign_is_late(e->c);
        uint64_t unit = e->stops || e->busy == e->jobs ? UINT64_MAX : take_next(e);
        if (unit != UINT64_MAX)
            start(e, unit);
        else if (e->busy > 0)
            wait_for_one(e);
        else
            break;
    }
    free(e->tries);
    vec_done(&e->again);
    return e->failed ? -1 : e->stops;
}

int campaign_run_local(struct campaign *c, uint32_t jobs, void (*say)(const char *line),
                       struct err *err)
{
    struct engine *e = mem_zeroed(1, sizeof *e);
    *e = (struct engine){.c = c, .say = say, .err = err};
    e->jobs = jobs < WORKERS_MAX ? jobs : WORKERS_MAX;
    run_catch_signals();
    int result = campaign_begin(c, err);
    while (result == 0) {
        struct campaign_round r = *campaign_last(c);
        e->r = &r;
        result = run_round(e);
        bool is_late =
            result == 1 && !run_signal() && !campaign_is_stopped(c) && campaign_is_late(c);
        if (result == 0 || is_late)
            result = campaign_step(c, is_late, err) < 0     ? -1
                     : campaign_last(c)->number == r.number ? 2
                                                            : 0;
    }
    free(e);
    return result == 2 ? 0 : result;
}
