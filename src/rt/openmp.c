/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp: threads, teams, waiting, barriers. A thread that was made for a team stays, and waits
 * for the next one. */
#include "rt/openmp.h"
#include "rt/real.h"

#include <unistd.h>

struct call omp_call(struct thr *t)
{
    return (struct call){.thr = t, .site = __heddle_here};
}

static void too_many(const char *what)
{
    outcome_unsupported(what);
}

/* ---- what the environment asks for ---------------------------------------------------- */

static const char *value_of(const char *name)
{
    size_t len = __builtin_strlen(name);
    for (char **e = environ; e && *e; e++)
        if (__builtin_strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return *e + len + 1;
    return "";
}

static uint32_t number_of(const char *name, uint32_t otherwise)
{
    const char *p = value_of(name);
    uint32_t n = 0;
    for (; *p >= '0' && *p <= '9' && n < 10000; p++)
        n = n * 10 + (uint32_t)(*p - '0');
    return n ? n : otherwise;
}

/* ---- threads ---------------------------------------------------------------------------- */

static struct omp_member *member_new(struct omp_worker *w, struct omp_team *team)
{
    for (uint32_t i = 0; i < OMP_MEMBERS_MAX; i++) {
        struct omp_member *m = &rt.openmp->members[i];
        if (rt.openmp->member_used[i])
            continue;
        rt.openmp->member_used[i] = true;
        *m = (struct omp_member){.worker = w, .team = team};
        m->task = &m->own;
        m->own.refs = 1;
        return m;
    }
    too_many("more than 8192 regions of OpenMP inside of each other");
    return NULL;
}

static void member_free(struct omp_member *m)
{
    CHECK(m->task == &m->own && !m->own.children);
    omp_task_forget(&m->own);
    rt.openmp->member_used[m - rt.openmp->members] = false;
}

static struct omp_team *team_new(struct omp_member *outer, uint32_t size)
{
    for (uint32_t i = 0; i < OMP_TEAMS_MAX; i++) {
        struct omp_team *x = &rt.openmp->teams[i];
        if (x->is_used)
            continue;
        struct omp_team old = *x;
        *x = (struct omp_team){.outer = outer, .size = size, .is_used = true};
        x->forked = NO_EVENT;
        x->level = outer ? outer->team->level + 1 : 0;
        x->active = (outer ? outer->team->active : 0) + (size > 1);
        x->fork = old.fork ? old.fork : thing_new(THING_OPENMP);
        x->single = old.single ? old.single : thing_new(THING_OPENMP);
        x->taken = old.taken ? old.taken : thing_new(THING_OPENMP);
        x->posted = old.posted ? old.posted : thing_new(THING_OPENMP);
        for (uint32_t k = 0; k < 2; k++)
            x->barrier[k] = old.barrier[k] ? old.barrier[k] : thing_new(THING_OPENMP);
        for (uint32_t k = 0; k < OMP_LOOPS_MAX; k++) {
            x->loops[k].given = old.loops[k].given;
            x->loops[k].ordered = old.loops[k].ordered;
        }
        return x;
    }
    too_many("more than 1024 teams of OpenMP at a time");
    return NULL;
}

static struct omp_worker *worker_new(void)
{
    struct openmp *o = rt.openmp;
    if (!o->usual) {
        uint32_t usual = number_of("OMP_NUM_THREADS", OMP_TEAM_USUAL);
        o->usual = usual < OMP_TEAM_MAX ? usual : OMP_TEAM_MAX;
    }
    if (o->worker_count == OMP_WORKERS_MAX)
        too_many("more than 1024 threads of OpenMP");
    struct omp_worker *w = &o->workers[o->worker_count];
    *w = (struct omp_worker){.id = o->worker_count++, .usual = o->usual};
    w->levels = number_of("OMP_MAX_ACTIVE_LEVELS", 1);
    return w;
}

struct omp_member *omp_me(void)
{
    struct thr *t = self;
    struct omp_worker *w = t->openmp;
    if (w)
        return w->now;
    w = worker_new();
    w->thr = t;
    w->now = member_new(w, team_new(NULL, 1));
    w->now->team->thr[0] = t;
    t->openmp = w;
    return w->now;
}

/* ---- waiting ---------------------------------------------------------------------------- */

static bool can_go_on(const struct omp_worker *w)
{
    return w->done(w->now) ||
           (w->takes && !w->now->is_over && omp_task_next(w->now, w->takes, false));
}

void omp_stir(const struct omp_team *team)
{
    for (uint32_t i = 0; i < team->size; i++) {
        struct thr *t = team->thr[i];
        const struct omp_worker *w = t ? t->openmp : NULL;
        if (w && w->done && w->now->team == team && t->state == THR_BLOCKED && can_go_on(w))
            sched_wake(t, WAKE_NORMAL);
    }
}

/* Others are let in before a task is taken: or one thread would do all of them. */
static bool work_on(struct omp_member *m, unsigned takes)
{
    if (!takes || !omp_task_next(m, takes, false))
        return false;
    point(m->worker->thr);
    sched_yielded(m->worker->thr);
    struct omp_task *x = m->is_over ? NULL : omp_task_next(m, takes, true);
    if (x)
        omp_task_run(m, x);
    return true;
}

void omp_wait(struct omp_member *m, bool (*done)(const struct omp_member *), unsigned takes)
{
    struct omp_worker *w = m->worker;
    struct __heddle_site *site = __heddle_here;
    while (!done(m)) {
        if (work_on(m, takes)) {
            __heddle_here = site;
            continue;
        }
        w->done = done;
        w->takes = takes;
        sched_block(w->thr, NULL, WAIT_BARRIER, NEVER);
        w->done = NULL;
    }
    w->thr->learnt = true;
}

/* ---- barriers --------------------------------------------------------------------------- */

static bool is_past(const struct omp_member *m)
{
    return m->is_over || m->team->round != m->rounds;
}

/* All are there, and all tasks are done. The threads of a team that ends are free for the next
 * one, wherever they stand. */
void omp_barrier_look(struct omp_team *team)
{
    if (team->arrived < team->size || team->tasks)
        return;
    CHECK(team->arrived == team->size && !team->first);
    team->arrived = 0;
    team->round++;
    for (uint32_t i = 1; team->is_ending && i < team->size; i++) {
        struct omp_worker *w = team->thr[i]->openmp;
        w->now->is_over = true;
        w->is_idle = true;
    }
    omp_stir(team);
}

static void arrive(struct omp_member *m)
{
    struct call c = omp_call(m->worker->thr);
    stir(c.thr);
    thing_change(&c, m->team->barrier[m->team->round & 1]);
    m->team->arrived++;
    omp_barrier_look(m->team);
}

void omp_barrier(struct omp_member *m)
{
    struct omp_team *team = m->team;
    if (team->size == 1 && !team->tasks)
        return;
    struct call c = omp_call(m->worker->thr);
    point(c.thr);
    m->rounds = team->round;
    arrive(m);
    omp_wait(m, is_past, TAKES_ANY);
    thing_sum(&c, team->barrier[m->rounds & 1]);
}

/* ---- teams ------------------------------------------------------------------------------ */

#define OMP_GIVEN(i) given[i]

static void call_target(struct omp_member *m, omp_microtask *run, void **given)
{
    int32_t id = (int32_t)m->worker->id, number = (int32_t)m->number;
    run(&id, &number, OMP_LIST(OMP_GIVEN));
}

/* Of a thread that did not make the team. */
static void run_member(struct omp_worker *w)
{
    struct omp_member *m = w->job;
    struct call c = omp_call(w->thr);
    w->job = NULL;
    m->outer = w->now;
    w->now = m;
    thing_hear(&c, m->team->fork, m->team->forked);
    call_target(m, w->run, w->given);
    point(w->thr);
    m->rounds = m->team->round;
    arrive(m);
    omp_wait(m, is_past, TAKES_ANY);
    w->now = m->outer;
    member_free(m);
}

static void *work(void *arg)
{
    struct omp_worker *w = arg;
    for (;;) {
        while (!w->job)
            sched_block(w->thr, NULL, WAIT_BARRIER, NEVER);
        run_member(w);
    }
    return NULL;
}

/* One that has no work; the first, so that it is the same in every run. A forked child has not
 * inherited the threads. */
static struct omp_worker *idle_worker(void)
{
    struct openmp *o = rt.openmp;
    for (uint32_t i = 0; i < o->worker_count; i++) {
        struct omp_worker *w = &o->workers[i];
        if (w->is_idle && w->thr->state != THR_EXITED) {
            w->is_idle = false;
            return w;
        }
    }
    pthread_attr_t attributes;
    pthread_t handle;
    struct omp_worker *w = worker_new();
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int e = thread_create(&handle, &attributes, work, w, false);
    pthread_attr_destroy(&attributes);
    if (e)
        too_many("a thread of OpenMP that the system has no room for");
    w->thr = thread_find(handle);
    w->thr->openmp = w;
    return w;
}

static uint32_t team_size(struct omp_member *m)
{
    struct omp_worker *w = m->worker;
    uint32_t size = w->wanted ? w->wanted : w->usual;
    w->wanted = 0;
    if (m->team->active >= w->levels)
        size = 1;
    return size < OMP_TEAM_MAX ? size : OMP_TEAM_MAX;
}

/* The others begin when they get the token. */
static void call_together(struct omp_team *team, struct omp_member *by, omp_microtask *run,
                          void **given)
{
    struct call c = omp_call(by->worker->thr);
    struct omp_worker *workers[OMP_TEAM_MAX];
    for (uint32_t i = 1; i < team->size; i++) /* making one may let others run */
        workers[i] = idle_worker();
    stir(c.thr);
    team->forked = thing_change(&c, team->fork);
    for (uint32_t i = 1; i < team->size; i++) {
        struct omp_worker *w = workers[i];
        w->run = run;
        w->given = given;
        w->usual = by->worker->usual;
        w->levels = by->worker->levels;
        w->schedule = by->worker->schedule;
        w->chunk = by->worker->chunk;
        w->job = member_new(w, team);
        w->job->number = i;
        w->job->own.is_final = by->task->is_final;
        team->thr[i] = w->thr;
        if (w->thr->state == THR_BLOCKED)
            sched_wake(w->thr, WAKE_NORMAL);
    }
}

static struct omp_member *enter(struct omp_member *outer, uint32_t size)
{
    struct omp_worker *w = outer->worker;
    struct omp_team *team = team_new(outer, size);
    struct omp_member *m = member_new(w, team);
    m->outer = outer;
    m->own.is_final = outer->task->is_final;
    team->thr[0] = w->thr;
    w->now = m;
    return m;
}

static void leave(struct omp_member *m)
{
    struct omp_worker *w = m->worker;
    m->team->is_used = false;
    w->now = m->outer;
    member_free(m);
}

void omp_fork(omp_microtask *run, void **given, bool together)
{
    struct omp_member *outer = omp_me();
    struct thr *t = outer->worker->thr;
    struct __heddle_site *site = __heddle_here;
    point(t);
    struct omp_member *m = enter(outer, together ? team_size(outer) : 1);
    if (m->team->size > 1)
        call_together(m->team, outer, run, given);
    call_target(m, run, given);
    __heddle_here = site;
    m->team->is_ending = true;
    omp_barrier(m);
    leave(m);
}

void omp_serial_begin(void)
{
    enter(omp_me(), 1);
}

void omp_serial_end(void)
{
    struct omp_member *m = omp_me();
    CHECK(m->outer && m->team->size == 1);
    omp_barrier(m);
    leave(m);
}
