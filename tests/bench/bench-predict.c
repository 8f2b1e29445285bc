/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-predict: the everyday search on large traces, stage by stage: what it takes, in time
 * and memory, what it finds, and how that grows with the trace.
 *
 *     bench-predict [SHAPE EVENTS | FILE]...     EVENTS as in 1e6; else: 1e5 to 1e7 of both
 *     bench-predict --files DIR MB ...           the same with trace and model in files there,
 *                                                and at most MB of them in memory
 *     bench-predict --make FILE SHAPE EVENTS     only the trace
 *
 * The load is that of the public comparisons: 8 threads; shape S has 50 locks that each guard
 * 20 of 1000 variables, shape B 10 locks and 100 variables. Sections do 2 to 9 accesses, some
 * are nested, now and then against the order of the locks; about 1 % of all accesses are
 * unguarded. */
#include "base/rng.h"
#include "predict/engine.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS = 8, LOCKS_MAX = 50, DEPTH_MAX = 3 };

struct shape {
    char name;
    uint32_t locks, variables;
};

static const struct shape shapes[] = {{'S', 50, 1000}, {'B', 10, 100}};

/* ---- the load -------------------------------------------------------------------------- */

struct worker {
    uint32_t held[DEPTH_MAX], depth, left; /* locks, and accesses to do in the section */
};

struct load {
    const struct shape *shape;
    struct rng rng;
    struct worker workers[THREADS];
    bool taken[LOCKS_MAX];
    struct trace_writer *out;
};

enum {
    LOCK_AT = 0x601000,
    VARIABLE_AT = 0x700000,
    /* sites: as many for each use as there can be */
    SITE_OUTER = 0,
    SITE_INNER = SITE_OUTER + LOCKS_MAX,
    SITE_LEAVE = SITE_INNER + LOCKS_MAX,
    SITE_GUARDED = SITE_LEAVE + LOCKS_MAX,
    SITE_BARE = SITE_GUARDED + 240,
    SITE_THREADS = SITE_BARE + 100,
    SITE_COUNT = SITE_THREADS + 2 * THREADS,
};

static void define(struct trace_writer *w, const struct shape *s)
{
    for (uint32_t i = 0; i < SITE_COUNT; i++)
        trace_put_site(
            w,
            &(struct def_site){
                .file = {"load.c", 6}, .function = {"worker", 6}, .line = 1 + i, .column = 1},
            NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        trace_put_thread_def(
            w, &(struct def_thread){.parent = i ? 0 : NO_ID, .spawn = i ? i - 1 : 0});
    trace_put_object(
        w, &(struct def_object){.addr = LOCK_AT, .size = 8 * s->locks, .name = {"locks", 5}});
    trace_put_object(w, &(struct def_object){.addr = VARIABLE_AT,
                                             .size = 8 * s->variables,
                                             .name = {"table", 5}});
}

static void put(struct load *l, uint32_t thr, unsigned kind, uint32_t id, uint32_t site)
{
    struct ev e = {.kind = (uint8_t)kind, .thr = thr, .site = site};
    if (kind == EV_CREATE || kind == EV_JOIN)
        e.peer = id;
    else
        e.addr = LOCK_AT + 8 * (uint64_t)id;
    trace_put_event(l->out, &e);
}

static void access_one(struct load *l, uint32_t thr, uint32_t variable, bool write,
                       uint32_t site)
{
    trace_put_thread(l->out, thr);
    trace_put_access(l->out, write, site, VARIABLE_AT + 8 * (uint64_t)variable, 3, 0);
}

/* Takes a free lock above those held, or rarely below; false if the one picked is not free. */
static bool enter(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t count = l->shape->locks, top = w->depth ? w->held[w->depth - 1] : 0, lock;
    bool reverse = w->depth > 0 && rng_below(&l->rng, 500) == 0;
    if (w->depth == 0)
        lock = rng_below(&l->rng, count);
    else if (reverse ? top == 0 : top + 1 == count)
        return false;
    else
        lock =
            reverse ? rng_below(&l->rng, top) : top + 1 + rng_below(&l->rng, count - top - 1);
    if (l->taken[lock])
        return false;
    if (w->depth == 0)
        w->left = 2 + rng_below(&l->rng, 8);
    l->taken[lock] = true;
    w->held[w->depth++] = lock;
    put(l, thr, EV_ACQUIRE, lock, (w->depth == 1 ? SITE_OUTER : SITE_INNER) + lock);
    return true;
}

static void leave(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t lock = w->held[--w->depth];
    l->taken[lock] = false;
    w->left = w->depth ? rng_below(&l->rng, 3) : 0;
    put(l, thr, EV_RELEASE, lock, SITE_LEAVE + lock);
}

static void guarded(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    uint32_t locks = l->shape->locks;
    uint32_t lock = w->held[rng_below(&l->rng, w->depth)];
    uint32_t x = lock + locks * rng_below(&l->rng, l->shape->variables / locks);
    bool write = rng_below(&l->rng, 3) == 0;
    w->left--;
    access_one(l, thr, x, write, SITE_GUARDED + x % 120 * 2 + write);
}

static void bare(struct load *l, uint32_t thr)
{
    uint32_t x = rng_below(&l->rng, l->shape->variables);
    bool write = rng_below(&l->rng, 4) == 0;
    access_one(l, thr, x, write, SITE_BARE + x % 50 * 2 + write);
}

/* One step of a thread; false: it could not take the lock it wanted. */
static bool turn(struct load *l, uint32_t thr)
{
    struct worker *w = &l->workers[thr];
    if (w->depth == 0 && rng_below(&l->rng, 20) == 0)
        bare(l, thr);
    else if (w->depth == 0)
        return enter(l, thr);
    else if (w->left == 0)
        leave(l, thr);
    else if (w->depth == DEPTH_MAX || rng_below(&l->rng, 20) != 0 || !enter(l, thr))
        guarded(l, thr);
    return true;
}

static void fill(struct trace_out *o, const struct shape *s, uint64_t events)
{
    struct load l = {.shape = s, .rng = {1}, .out = trace_out_writer(o)};
    uint32_t thr = 0;
    define(l.out, s);
    for (uint32_t i = 1; i < THREADS; i++)
        put(&l, 0, EV_CREATE, i, SITE_THREADS + i);
    while (l.out->event_count + THREADS * (DEPTH_MAX + 1) < events)
        if (rng_below(&l.rng, 8) == 0 || !turn(&l, thr))
            thr = rng_below(&l.rng, THREADS);
    for (uint32_t t = 0; t < THREADS; t++)
        while (l.workers[t].depth > 0)
            leave(&l, t);
    for (uint32_t i = 1; i < THREADS; i++)
        put(&l, 0, EV_JOIN, i, SITE_THREADS + THREADS + i);
}

static void make(struct trace *out, const struct shape *s, uint64_t events)
{
    struct trace_out *o = trace_out_new(0);
    struct err err;
    struct bytes b = {0};
    fill(o, s, events);
    CHECK(trace_out_bytes(o, 0, &b, &err) == 0);
    trace_out_free(o);
    CHECK(trace_open_bytes(out, &b, "load", &err) == 0);
}

static void make_file(const char *path, const struct shape *s, uint64_t events)
{
    struct err err;
    struct trace_out *o = trace_out_create(path, 0, &err);
    CHECK(o);
    fill(o, s, events);
    CHECK(trace_out_finish(o, &err) == 0);
    trace_out_free(o);
}

/* ---- measuring ------------------------------------------------------------------------- */

struct clock {
    const char *name; /* of the load */
    double events, at, total;
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double peak_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024;
}

static void stage(struct clock *c, const char *what)
{
    double now = cpu_seconds(), took = now - c->at;
    c->at = now;
    c->total += took;
    printf("%s-%s %.0f ns/event (peak %.1f bytes/event)\n", c->name, what,
           took / c->events * 1e9, peak_bytes() / c->events);
    fflush(stdout);
}

/* ---- the worst single check ------------------------------------------------------------ */

enum { ASKED = 3000, NEAR = 50000 };

struct slowest {
    double ms;
    uint32_t asked, undecided;
};

static void ask_one(struct predictor *p, const struct query *q, struct slowest *s)
{
    double before = cpu_seconds();
    enum answer answer = predict_unchecked(p, q);
    double ms = (cpu_seconds() - before) * 1e3;
    s->ms = ms > s->ms ? ms : s->ms;
    s->asked++;
    s->undecided += answer == ANSWER_UNKNOWN;
}

/* An access behind e to the same cell, by its thread or by another one; NONE: none is near. */
static ev_id access_behind(const struct model *m, ev_id e, bool own, uint32_t skip)
{
    for (ev_id next = e + 1; next < m->ev_count && next - e < NEAR; next++)
        if ((model_reads(m, next) || model_writes(m, next)) && m->obj[next] == m->obj[e] &&
            (m->ev[next].thr == m->ev[e].thr) == own && skip-- == 0)
            return next;
    return NONE;
}

/* Accesses at random places, guarded or not, that the everyday search would not ask about: two
 * at once, or one thread's between two of another. What decides is timed, not the walk that
 * checks a witness. */
static void ask_random(struct predictor *p, const char *name)
{
    const struct model *m = p->m;
    struct rng rng = {7};
    struct slowest s = {0};
    for (uint32_t i = 0; i < 100 * ASKED && s.asked < ASKED; i++) {
        ev_id a = rng_below(&rng, m->ev_count);
        if (!model_reads(m, a) && !model_writes(m, a))
            continue;
        ev_id other = access_behind(m, a, false, rng_below(&rng, 8));
        ev_id b = access_behind(m, a, true, rng_below(&rng, 3));
        if (other == NONE || b == NONE)
            continue;
        struct query q = {.kind = s.asked % 2 ? QUERY_ORDER : QUERY_RACE};
        q.count = s.asked % 2 ? 3 : 2;
        q.number[0] = model_number(m, a);
        q.number[1] = model_number(m, other);
        q.number[2] = model_number(m, b);
        ask_one(p, &q, &s);
    }
    printf("%s-slowest %.1f ms for one of %u random checks (%u undecided)\n", name, s.ms,
           s.asked, s.undecided);
}

/* ---- all of it ------------------------------------------------------------------------- */

/* Directory of trace and model; NULL: they are in memory. */
static const char *files;

/* What the search has taken so far. */
static struct clock parts;

/* The pattern that is searched for as the n-th, from 1. */
static const char *searched(uint32_t n)
{
    for (uint32_t i = 0; patterns[i]; i++)
        if (patterns[i]->scan && --n == 0)
            return pattern_text(patterns[i]->id);
    return "";
}

static void part_done(uint32_t done, uint32_t all)
{
    double now = cpu_seconds();
    (void)all;
    printf("%s-checks-%s %.0f ns/event\n", parts.name, searched(done),
           (now - parts.at) / parts.events * 1e9);
    parts.at = now;
}

static double wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The same checks once more, by all cores: what passes on the clock of the wall. */
static void measure_cores(struct predictor *p, const struct clock *c, uint32_t found)
{
    struct findings again = {0};
    double before = wall_seconds();
    predict_watch(p, NULL);
    predict_jobs(p, 0);
    predict_findings(p, &again);
    printf("%s-all-cores %.0f ns/event for the checks, by the wall clock\n", c->name,
           (wall_seconds() - before) / c->events * 1e9);
    CHECK(again.list.findings.len == found);
    findings_done(&again);
    predict_jobs(p, 1);
}

static void measure(struct trace *t, const char *name)
{
    struct err err;
    struct findings found = {0};
    struct clock c = {name, (double)t->head.event_count, cpu_seconds(), 0};
    struct model *m = model_build(t, &(struct model_opts){.files = files}, &err);
    CHECK(m);
    stage(&c, "model");
    struct predictor *p = predictor_new(m, MODE_CLASSIC, &err);
    CHECK(p);
    stage(&c, "clocks");
    parts = c;
    predict_watch(p, part_done);
    predict_findings(p, &found);
    printf("%s-checks-witnesses %.0f ns/event\n", name,
           (cpu_seconds() - parts.at) / parts.events * 1e9);
    stage(&c, "checks");
    printf("%s-speed %.2f million-events/s\n", name, c.events / c.total / 1e6);
    printf("%s-memory %.1f bytes/event\n", name, peak_bytes() / c.events);
    printf("%s-worst %.1f ms of work\n", name, (double)predict_stat(p).work_most / 1e6);
    for (uint32_t i = 0; i < found.list.accounts.len; i++)
        printf("%s-%s %llu possible\n", name, pattern_text(found.list.accounts.at[i].pattern),
               (unsigned long long)found.list.accounts.at[i].found);
    fflush(stdout);
    CHECK(predict_stat(p).refused == 0);
    ask_random(p, name);
    measure_cores(p, &c, found.list.findings.len);
    findings_done(&found);
    predictor_free(p);
    model_free(m);
}

/* Memory that the machine has never used may have to come from a host first, which takes longer
 * than all that is measured here: a process that uses as much goes before. */
static void warm_up(uint64_t events)
{
    if (files) /* what the machine has left is for the files */
        return;
    enum { BYTES_EACH = 64, PAGE = 4096 };
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        uint64_t bytes = events * BYTES_EACH;
        volatile char *at = mem_get(bytes);
        for (uint64_t i = 0; i < bytes; i += PAGE)
            at[i] = 1;
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* In a process of its own, for its memory. */
static void run(const struct shape *s, uint64_t events, const char *name)
{
    warm_up(events);
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct trace t;
        struct err err;
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/load.trace", files ? files : "");
        if (s && files) {
            make_file(path.at, s, events);
            CHECK(trace_open(&t, path.at, &err) == 0 && unlink(path.at) == 0);
        } else if (s)
            make(&t, s, events);
        else
            CHECK(trace_open(&t, name, &err) == 0);
        measure(&t, name);
        trace_close(&t);
        fflush(stdout);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static const struct shape *shape_of(const char *word)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (word[0] == shapes[i].name && word[1] == 0)
            return &shapes[i];
    return NULL;
}

int main(int argc, char **argv)
{
    char *otherwise[] = {"",  "S",   "1e5", "S",   "1e6", "S",   "1e7",
                         "B", "1e5", "B",   "1e6", "B",   "1e7", NULL};
    if (argc == 1)
        argv = otherwise;
    if (argc == 5 && strcmp(argv[1], "--make") == 0 && shape_of(argv[3])) {
        make_file(argv[2], shape_of(argv[3]), (uint64_t)strtod(argv[4], NULL));
        return 0;
    }
    if (argc > 3 && strcmp(argv[1], "--files") == 0) {
        files = argv[2];
        columns_keep((uint64_t)strtod(argv[3], NULL) << 20);
        argv += 3;
    }
    for (char **word = argv + 1; *word; word++) {
        const struct shape *s = shape_of(*word);
        char name[64];
        if (!s || !word[1]) {
            run(NULL, 0, *word);
            continue;
        }
        snprintf(name, sizeof name, "predict-%s%s", word[0], word[1]);
        run(s, (uint64_t)strtod(*++word, NULL), name);
    }
    return 0;
}
