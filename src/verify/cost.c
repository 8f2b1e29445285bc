/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: what the change costs. Sections and contention are counted in runs that nobody
 * disturbed; the running time is that of the programs by themselves, outside of the scheduler:
 * the shortest of several runs, those of the two programs in turns. */
#include "verify/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One run, and all of them together. */
enum { RUN_MS_MAX = 2000, ALL_MS_MAX = 3000 };

/* ---- threads at the same time ------------------------------------------------------------ *
 * Creations and joins alone say what may be at the same time: locks only say that one of two
 * steps is the first. */

enum { OVERLAP_THREADS_MAX = 64 };

struct forks {
    uint32_t count; /* threads */
    uint32_t *seen; /* by thread, then other thread: so much of that one is over for it */
    uint32_t *last; /* by thread: the last step of work, from 1; 0: none yet */
    bool *pairs;
};

/* Does another thread write one of the cells? */
static bool is_others(const struct model *m, uint32_t cell, uint16_t thread)
{
    for (uint32_t i = m->cell_first[cell]; i < m->cell_reads[cell]; i++)
        if (m->ev[m->accesses[i]].thr != thread)
            return true;
    return false;
}

/* Does the step rest on what others do? Who writes, and reads what is its own, makes something
 * ready for them. */
static bool is_work(const struct model *m, ev_id e)
{
    uint8_t kind = m->ev[e].kind;
    if (kind == EV_ACQUIRE || kind == EV_RMW || kind == EV_CAS)
        return true;
    if (kind != EV_READ && kind != EV_READ_RANGE && kind != EV_ATOMIC_LOAD)
        return false;
    uint32_t obj = m->obj[e];
    if (obj < m->cell_count)
        return is_others(m, obj, m->ev[e].thr);
    CHECK(obj - m->cell_count < m->span_count);
    const struct span *s = &m->spans[obj - m->cell_count];
    for (uint32_t i = 0; i < s->count; i++)
        if (is_others(m, s->first + i, m->ev[e].thr))
            return true;
    return false;
}

/* What the other one has seen by now, this one has seen as well. */
static void learn_of(struct forks *f, uint32_t thread, uint32_t other, uint32_t steps)
{
    uint32_t *own = &f->seen[thread * f->count], *from = &f->seen[other * f->count];
    CHECK(thread < f->count && other < f->count && thread != other);
    for (uint32_t t = 0; t < f->count; t++)
        own[t] = from[t] > own[t] ? from[t] : own[t];
    own[other] = steps > own[other] ? steps : own[other];
}

static void forks_step(struct forks *f, const struct model *m, ev_id e)
{
    uint32_t thread = m->ev[e].thr, step = m->idx[e] + 1;
    if (m->ev[e].kind == EV_CREATE && m->obj[e] < f->count)
        learn_of(f, m->obj[e], thread, step);
    if (m->ev[e].kind == EV_JOIN && m->obj[e] < f->count)
        learn_of(f, thread, m->obj[e], UINT32_MAX);
    if (!is_work(m, e))
        return;
    for (uint32_t t = 0; t < f->count; t++)
        if (t != thread && f->last[t] > f->seen[thread * f->count + t])
            f->pairs[thread * f->count + t] = f->pairs[t * f->count + thread] = true;
    f->last[thread] = step;
}

static uint64_t count_overlaps(const struct model *m)
{
    uint32_t count = m->thread_count;
    uint64_t found = 0;
    if (count > OVERLAP_THREADS_MAX)
        return 0;
    struct forks f = {.count = count,
                      .seen = mem_zeroed((size_t)count * count + 1, sizeof *f.seen),
                      .last = mem_zeroed(count + 1, sizeof *f.last),
                      .pairs = mem_zeroed((size_t)count * count + 1, sizeof *f.pairs)};
    for (ev_id e = 0; e < m->ev_count; e++)
        forks_step(&f, m, e);
    for (uint32_t i = 0; i < count * count; i++)
        found += f.pairs[i];
    free(f.seen);
    free(f.last);
    free(f.pairs);
    CHECK(found % 2 == 0);
    return found / 2;
}

/* ---- sections ---------------------------------------------------------------------------- */

static int measure(struct verify_cost *out, const char *directory, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    struct model_stat stat = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&t, path.at, err) < 0)
        return -1;
    AUTO(model) struct model *m = model_build(&t, &(struct model_opts){0}, err);
    if (!m || model_stat(&stat, m, err) < 0)
        return err_in(err, "%s", path.at);
    *out = (struct verify_cost){.events = m->trace_events};
    uint32_t *counted = mem_zeroed(m->thread_count + 1, sizeof *counted); /* up to where */
    for (ev_id e = 0; e < m->ev_count; e++) {
        if (m->ev[e].kind != EV_ACQUIRE || m->link[e] == NONE)
            continue;
        uint32_t begin = m->idx[e], end = m->idx[m->link[e]], *past = &counted[m->ev[e].thr];
        out->sections++;
        out->longest = end - begin > out->longest ? end - begin : out->longest;
        begin = begin > *past ? begin : *past; /* sections of other locks may overlap it */
        out->steps_in_sections += end > begin ? end - begin : 0;
        *past = end > *past ? end : *past;
    }
    free(counted);
    for (uint32_t i = 0; i < stat.syncs.len; i++)
        out->contended += stat.syncs.at[i].contended;
    out->overlaps = count_overlaps(m);
    model_stat_done(&stat);
    return 0;
}

/* ---- running time ------------------------------------------------------------------------ */

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Its input is empty, what it prints is nobody's business, and it is the first of a group. */
static pid_t start_alone(struct run_world *in, char *const *argv)
{
    char path[PATH_MAX];
    struct err ignored;
    const char *program = strchr(argv[0], '/') && realpath(argv[0], path) ? path : argv[0];
    pid_t pid = run_world_fork(in, &ignored);
    if (pid != 0)
        return pid;
    setpgid(0, 0);
    int input = open("/dev/null", O_RDONLY), output = open("/dev/null", O_WRONLY);
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0)
        execvp(program, argv);
    _exit(127);
}

/* 0: it did not end well, or not in time. */
static uint64_t time_one(struct run_world *in, char *const *argv)
{
    int status = 0;
    uint64_t start = now_us();
    pid_t pid = start_alone(in, argv);
    if (pid < 0)
        return 0;
    AUTO(fd) int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    int seen = fd < 0 ? 0 : poll(&ended, 1, RUN_MS_MAX);
    uint64_t took = now_us() - start;
    if (seen <= 0)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return seen > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? took + (took == 0) : 0;
}

/* One more run of a program, if it is shorter than those so far. */
static bool take_time(struct judge *j, char *const *argv, struct verify_cost *c)
{
    struct err ignored;
    if (j->in && run_world_reset(j->in, NULL, &ignored) < 0)
        return false;
    uint64_t us = time_one(j->in, argv);
    if (us > 0 && (c->time_us == 0 || us < c->time_us))
        c->time_us = us;
    return us > 0;
}

/* Both or neither. A program that needs something done before each run is left alone. */
static void time_both(struct judge *j)
{
    struct verify_cost *before = &j->out->cost_before, *after = &j->out->cost_after;
    uint64_t start = now_us();
    uint32_t misses = 0;
    for (uint32_t i = 0; i < j->o->timed && misses < 2 && !j->o->before_each && !run_signal();
         i++) {
        misses += !take_time(j, j->o->before, before) || !take_time(j, j->o->after, after);
        if (now_us() - start > ALL_MS_MAX * 1000ULL)
            break;
    }
    if (before->time_us == 0 || after->time_us == 0)
        before->time_us = after->time_us = 0;
}

int cost_stage(struct judge *j, struct err *err)
{
    AUTO(str) struct str before = {0};
    str_add(&before, "%s/before-fresh", j->o->store);
    if (measure(&j->out->cost_before, before.at, err) < 0 ||
        measure(&j->out->cost_after, j->fresh.at, err) < 0)
        return -1;
    time_both(j);
    return 0;
}
