/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion: one row of the table of `make eval-fusion`.
 *
 *     fusion PROGRAM THREADS SMALL     SMALL: so many threads for the exploration
 *
 * Records a run and asks the symbolic stage about every triple of accesses that could break
 * a marked region; then runs all schedules of the smaller program and looks which triples
 * happen. Prints: events, nodes, shared places, regions, triples, those left by fork and
 * join, those left by locks (the method without data), violations, undecided, milliseconds;
 * then for the smaller program: predicted, happened, false alarms, missed on the path,
 * missed off it. */
#include "oracle/schedules.h"

#include "ir/ir.h"
#include "model/model.h"
#include "run/run.h"
#include "symbolic/symbolic.h"

#include <string.h>
#include <time.h>

enum { RUNS_MAX = 20000 };

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- accesses of a trace ----------------------------------------------------------------- */

/* A name that is the same in every run: thread, site, the how many-th there. */
struct name {
    uint32_t thr, line, column, kind, nth;
};

struct touch {
    struct name name;
    uint64_t event, addr;
    uint32_t size, region; /* NONE: in no marked region */
    uint32_t locks;        /* sections that it is in: [first, +count) of held */
    uint32_t lock_count;
    bool writes;
};

struct section {
    uint64_t lock, event; /* of its acquire */
};

struct seen_run {
    VEC(struct touch) touches; /* in the order of the trace */
    VEC(struct section) held;
    VEC(uint64_t) created, joined; /* by thread: event of its creation and join */
    uint32_t regions;
    uint64_t events;
};

struct holding {
    VEC(struct section) now;
    uint32_t region;
};

static void seen_run_done(struct seen_run *r)
{
    vec_done(&r->touches);
    vec_done(&r->held);
    vec_done(&r->created);
    vec_done(&r->joined);
}

static uint32_t nth_of(const struct seen_run *r, const struct name *n)
{
    uint32_t nth = 0;
    for (uint32_t i = 0; i < r->touches.len; i++) {
        const struct name *m = &r->touches.at[i].name;
        nth += m->thr == n->thr && m->line == n->line && m->column == n->column &&
               m->kind == n->kind;
    }
    return nth;
}

static void add_touch(struct seen_run *r, const struct trace *t, const struct holding *h,
                      const struct ev *e, uint64_t number)
{
    const struct def_site *s = &t->sites.at[e->site];
    struct touch a = {.name = {e->thr, s->line, s->column, e->kind, 0},
                      .event = number,
                      .addr = e->addr,
                      .size = e->size,
                      .region = h->region,
                      .locks = r->held.len,
                      .lock_count = h->now.len,
                      .writes = e->kind == EV_WRITE};
    a.name.nth = nth_of(r, &a.name);
    for (uint32_t i = 0; i < h->now.len; i++)
        vec_push(&r->held, h->now.at[i]);
    vec_push(&r->touches, a);
}

static void see(struct seen_run *r, const struct trace *t, struct holding *h,
                const struct ev *e, uint64_t number)
{
    switch (e->kind) {
    case EV_READ:
    case EV_WRITE:
        add_touch(r, t, h, e, number);
        break;
    case EV_ACQUIRE:
        vec_push(&h->now, (struct section){e->addr, number});
        break;
    case EV_RELEASE:
        for (uint32_t i = h->now.len; i > 0; i--)
            if (h->now.at[i - 1].lock == e->addr) {
                h->now.at[i - 1] = h->now.at[--h->now.len];
                break;
            }
        break;
    case EV_MARK:
        h->region = e->word == WORD_VALUE(MARK, BEGIN) ? r->regions++ : NONE;
        break;
    case EV_CREATE:
    case EV_JOIN:
        while (r->created.len <= e->peer) {
            vec_push(&r->created, 0);
            vec_push(&r->joined, NO_EVENT);
        }
        *(e->kind == EV_CREATE ? &r->created.at[e->peer] : &r->joined.at[e->peer]) = number;
        break;
    default:
        break;
    }
}

static void read_run(struct seen_run *out, struct trace *t)
{
    enum { THREADS = 64 };
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    struct holding hold[THREADS] = {0};
    struct err err;
    struct ev e;
    int item;
    for (unsigned i = 0; i < THREADS; i++)
        hold[i].region = NONE;
    cursor_init(c, t);
    c->values = true;
    while ((item = trace_next(c, &e, &err)) > 0)
        if (item == ITEM_EVENT && e.thr < THREADS)
            see(out, t, &hold[e.thr], &e, c->number - 1);
    out->events = c->number;
    for (unsigned i = 0; i < THREADS; i++)
        vec_done(&hold[i].now);
    free(c);
}

/* ---- triples ----------------------------------------------------------------------------- */

struct triple {
    uint32_t c, r, d;       /* touches: two of a region, one of another thread */
    bool by_fork, by_locks; /* left by these filters */
    enum verdict_sat answer;
    bool happened;
};
typedef VEC(struct triple) triples;

/* No order of whole regions gives the same: R-W-R, W-W-R, R-W-W, W-R-W. */
static bool is_unserialisable(const struct touch *c, const struct touch *r,
                              const struct touch *d)
{
    return r->writes ? !(c->writes && d->writes) : c->writes && d->writes;
}

/* One of T0 is before the creation of a thread, or after its join. */
static bool forks_allow(const struct seen_run *s, const struct touch *c, const struct touch *r)
{
    const struct touch *main = c->name.thr == 0 ? c : r->name.thr == 0 ? r : NULL;
    const struct touch *other = main == c ? r : c;
    if (!main || other->name.thr >= s->created.len)
        return true;
    return main->event > s->created.at[other->name.thr] &&
           main->event < s->joined.at[other->name.thr];
}

/* Does one section of a lock that r is also in cover both? */
static bool locks_allow(const struct seen_run *s, const struct touch *c, const struct touch *r,
                        const struct touch *d)
{
    for (uint32_t i = 0; i < c->lock_count; i++)
        for (uint32_t k = 0; k < d->lock_count; k++)
            for (uint32_t n = 0; n < r->lock_count; n++) {
                const struct section *a = &s->held.at[c->locks + i];
                const struct section *b = &s->held.at[d->locks + k];
                if (a->event == b->event && a->lock == s->held.at[r->locks + n].lock)
                    return false;
            }
    return true;
}

static void find_triples(triples *out, const struct seen_run *s)
{
    const struct touch *all = s->touches.at;
    for (uint32_t c = 0; c < s->touches.len; c++)
        for (uint32_t d = c + 1; d < s->touches.len; d++) {
            bool is_pair = all[c].region != NONE && all[c].region == all[d].region &&
                           all[c].addr == all[d].addr && all[c].name.thr == all[d].name.thr;
            for (uint32_t r = 0; is_pair && r < s->touches.len; r++) {
                if (all[r].name.thr == all[c].name.thr || all[r].addr != all[c].addr ||
                    !is_unserialisable(&all[c], &all[r], &all[d]))
                    continue;
                bool forks = forks_allow(s, &all[c], &all[r]);
                vec_push(out,
                         (struct triple){.c = c,
                                         .r = r,
                                         .d = d,
                                         .by_fork = forks,
                                         .by_locks =
                                             forks && locks_allow(s, &all[c], &all[r], &all[d]),
                                         .answer = SAT_NO});
            }
        }
}

/* ---- prediction -------------------------------------------------------------------------- */

struct table_row {
    struct seen_run seen;
    triples all;
    uint32_t nodes, places;
    double ms;
};

static node_id node_of(const struct problem *p, uint64_t event)
{
    for (node_id n = 0; n < p->nodes.len; n++)
        if (p->nodes.at[n].event == event && p->nodes.at[n].op != NODE_GUARD &&
            p->nodes.at[n].op != NODE_CHECK)
            return n;
    return NONE;
}

static void ask(struct table_row *row, const struct problem *p)
{
    struct symbolic_opts opts = {.work = 5000000};
    struct symbolic_stat stat = {0};
    for (uint32_t i = 0; i < row->all.len; i++) {
        struct triple *t = &row->all.at[i];
        const struct touch *at = row->seen.touches.at;
        struct goal g = {.kind = GOAL_ORDER, .count = 3, .also = NONE};
        AUTO(sym_witness) struct sym_witness w = {0};
        struct err refusal;
        g.node[0] = node_of(p, at[t->c].event);
        g.node[1] = node_of(p, at[t->r].event);
        g.node[2] = node_of(p, at[t->d].event);
        bool is_open =
            t->by_locks && g.node[0] != NONE && g.node[1] != NONE && g.node[2] != NONE;
        if (is_open)
            t->answer = symbolic_ask(p, &g, &opts, &w, &stat, &refusal);
    }
    if (stat.refused)
        fprintf(stderr, "witnesses refused: %llu\n", (unsigned long long)stat.refused);
}

static void record(char *const *argv, const char *directory)
{
    struct run_result result = {0};
    struct err err = {0};
    run_make_directory(directory, &err);
    run_clear(directory);
    if (run_target(&result, argv, directory, &(struct run_opts){0}, &err) < 0)
        give_up(&err);
    run_result_done(&result);
}

static void predict(struct table_row *row, char *const *argv)
{
    struct run_recorded recorded = {0};
    struct run_again again = {0};
    struct run_result result = {0};
    struct err err = {0};
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    AUTO(term_pool) struct term_pool *pool = term_pool_new();
    AUTO(ir_paths) struct ir_paths paths = {0};
    AUTO(problem) struct problem problem = {0};
    AUTO(ir) struct ir *ir = NULL;
    double start = cpu_ms();
    record(argv, "recorded");
    if (run_recorded_read(&recorded, "recorded", &err) < 0 ||
        run_again_open(&again, &recorded, true, &err) < 0 ||
        run_window(&again, &result, &(struct run_opts){0}, &err) != 0)
        give_up(&err);
    str_add(&path, "%s/trace", again.files.at);
    if (trace_open(&t, path.at, &err) < 0 || ir_open(&ir, argv[0], &err) < 0 ||
        ir_paths(&paths, ir, &t, pool, &err) < 0)
        give_up(&err);
    struct model *m = model_build(&t, &(struct model_opts){.keep_all = true}, &err);
    if (!m || problem_build(&problem, pool, m, ir, &paths, &err) < 0)
        give_up(&err);
    read_run(&row->seen, &t);
    find_triples(&row->all, &row->seen);
    ask(row, &problem);
    row->nodes = problem.nodes.len;
    row->places = problem.places.len;
    row->ms = cpu_ms() - start;
    model_free(m);
    run_again_close(&again);
    run_result_done(&result);
    run_recorded_done(&recorded);
}

/* ---- what happens ------------------------------------------------------------------------ */

static uint64_t when(const struct seen_run *s, const struct name *n)
{
    for (uint32_t i = 0; i < s->touches.len; i++)
        if (memcmp(&s->touches.at[i].name, n, sizeof *n) == 0)
            return s->touches.at[i].event;
    return NO_EVENT;
}

static void note_happened(void *arg, const char *directory)
{
    struct table_row *row = arg;
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    struct seen_run s = {0};
    struct err err;
    str_add(&path, "%s/trace", directory);
    if (trace_open(&t, path.at, &err) < 0)
        give_up(&err);
    read_run(&s, &t);
    for (uint32_t i = 0; i < row->all.len; i++) {
        struct triple *x = &row->all.at[i];
        const struct touch *at = row->seen.touches.at;
        uint64_t c = when(&s, &at[x->c].name), r = when(&s, &at[x->r].name),
                 d = when(&s, &at[x->d].name);
        x->happened |= c != NO_EVENT && r != NO_EVENT && d != NO_EVENT && c < r && r < d;
    }
    seen_run_done(&s);
}

/* ---- all --------------------------------------------------------------------------------- */

static void print_row(const struct table_row *row)
{
    uint32_t forks = 0, locks = 0, found = 0, open = 0;
    for (uint32_t i = 0; i < row->all.len; i++) {
        forks += row->all.at[i].by_fork;
        locks += row->all.at[i].by_locks;
        found += row->all.at[i].answer == SAT_YES;
        open += row->all.at[i].answer == SAT_UNKNOWN;
    }
    printf("%llu %u %u %u %u %u %u %u %u %.0f", (unsigned long long)row->seen.events,
           row->nodes, row->places, row->seen.regions, row->all.len, forks, locks, found, open,
           row->ms);
}

static void print_truth(const struct table_row *row, uint64_t runs)
{
    uint32_t found = 0, happened = 0, alarms = 0, missed = 0;
    for (uint32_t i = 0; i < row->all.len; i++) {
        const struct triple *t = &row->all.at[i];
        found += t->answer == SAT_YES;
        happened += t->happened;
        alarms += t->answer == SAT_YES && !t->happened;
        missed += t->answer != SAT_YES && t->happened;
    }
    printf(" %llu %u %u %u %u\n", (unsigned long long)runs, found, happened, alarms, missed);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    char small_word[] = "small";
    char *large[] = {argv[1], argv[2], NULL}, *small[] = {argv[1], argv[3], small_word, NULL};
    struct table_row row = {0}, truth = {0};
    predict(&row, large);
    print_row(&row);
    predict(&truth, small);
    uint64_t runs = every_schedule(small, RUNS_MAX, note_happened, &truth);
    print_truth(&truth, runs);
    return 0;
}
