/* SPDX-License-Identifier: Apache-2.0
 *
 * values-triples: random programs, and orders of three accesses in them. Of two accesses of
 * one thread to a variable and one of another thread to the same, which no serial order
 * allows between them: the symbolic stage says whether it can come between, and all
 * schedules show whether it does, with every thread on its recorded path up to there. */
#include "oracle/schedules.h"
#include "oracle/values.h"

#include "ir/ir.h"
#include "model/model.h"
#include "run/run.h"
#include "symbolic/symbolic.h"

#include <string.h>

enum { RUNS_MAX = 400, TRIPLES_MAX = 40 };

/* The nth step of a thread, if it is an access. */
struct step {
    uint64_t what;  /* line, column, kind and address: what makes two runs go the same way */
    uint64_t event; /* in its trace */
    uint64_t addr;
    uint32_t thr, nth;
    bool is_access, writes;
};
typedef VEC(struct step) steps;

static bool is_step(unsigned kind)
{
    return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW || kind == EV_ACQUIRE ||
           kind == EV_RELEASE || kind == EV_CREATE || kind == EV_JOIN || kind == EV_SIGNAL ||
           kind == EV_BROADCAST || kind == EV_WAIT_ENTER || kind == EV_WAIT_LEAVE;
}

/* In the order of the trace; accesses of globals only: stacks lie elsewhere in other runs. */
static void steps_read(steps *out, struct trace *t)
{
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    uint32_t count[16] = {0};
    struct err err;
    struct ev e;
    int item;
    cursor_init(c, t);
    while ((item = trace_next(c, &e, &err)) > 0) {
        bool is_memory = item == ITEM_EVENT && ev_acts_on(e.kind) == ON_MEMORY;
        if (item != ITEM_EVENT || !is_step(e.kind) || e.thr >= 16 ||
            !t->sites.at[e.site].line || (is_memory && e.addr >= 0x700000000000ULL))
            continue;
        const struct def_site *s = &t->sites.at[e.site];
        uint64_t where = (uint64_t)s->line << 32 | (uint64_t)s->column << 8 | e.kind;
        vec_push(out, (struct step){.what = hash_u64(where) ^ (is_memory ? e.addr : 0),
                                    .event = c->number - 1,
                                    .addr = e.addr,
                                    .thr = e.thr,
                                    .nth = count[e.thr]++,
                                    .is_access = is_memory,
                                    .writes = is_memory && e.kind != EV_READ});
    }
    free(c);
}

static void open_trace(struct trace *t, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct err err;
    str_add(&path, "%s/trace", directory);
    if (trace_open(t, path.at, &err) < 0)
        give_up(&err);
}

struct triple {
    uint32_t c, r, d; /* steps of the recorded run */
    enum verdict_sat answer;
    bool happened, on_path;
};

struct subject {
    steps recorded;
    VEC(struct triple) all;
};

/* No serial order gives the same: R-W-R, W-W-R, R-W-W, W-R-W. */
static bool is_unserialisable(bool c, bool r, bool d)
{
    return r ? !(c && d) : c && d;
}

static void find_triples(struct subject *s)
{
    const struct step *at = s->recorded.at;
    for (uint32_t c = 0; c < s->recorded.len; c++)
        for (uint32_t d = c + 1; d < s->recorded.len; d++)
            for (uint32_t r = 0; r < s->recorded.len; r++)
                if (s->all.len < TRIPLES_MAX && at[c].is_access && at[d].is_access &&
                    at[r].is_access && at[c].thr == at[d].thr && at[r].thr != at[c].thr &&
                    at[c].addr == at[d].addr && at[c].addr == at[r].addr &&
                    is_unserialisable(at[c].writes, at[r].writes, at[d].writes))
                    vec_push(&s->all, (struct triple){.c = c, .r = r, .d = d});
}

/* ---- what happens ------------------------------------------------------------------------ */

static uint32_t find_step(const steps *run, const struct step *like)
{
    for (uint32_t i = 0; i < run->len; i++)
        if (run->at[i].thr == like->thr && run->at[i].what == like->what &&
            run->at[i].nth == like->nth)
            return i;
    return NONE;
}

/* Has every thread done what it did when recorded, up to this step of the run? */
static bool is_on_path(const steps *recorded, const steps *run, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (find_step(recorded, &run->at[i]) == NONE)
            return false;
    return true;
}

static void see(void *arg, const char *directory)
{
    struct subject *s = arg;
    AUTO(trace) struct trace t = {0};
    steps run = {0};
    open_trace(&t, directory);
    steps_read(&run, &t);
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct triple *x = &s->all.at[i];
        uint32_t c = find_step(&run, &s->recorded.at[x->c]),
                 r = find_step(&run, &s->recorded.at[x->r]),
                 d = find_step(&run, &s->recorded.at[x->d]);
        if (c == NONE || r == NONE || d == NONE || !(c < r && r < d))
            continue;
        x->happened = true;
        x->on_path |= is_on_path(&s->recorded, &run, d);
    }
    vec_done(&run);
}

/* ---- what is said ------------------------------------------------------------------------ */

static node_id node_of(const struct problem *p, uint64_t event)
{
    for (node_id n = 0; n < p->nodes.len; n++)
        if (p->nodes.at[n].event == event && p->nodes.at[n].op == NODE_ACCESS)
            return n;
    return NONE;
}

static void ask(struct subject *s, const struct problem *p)
{
    struct symbolic_opts opts = {.work = 3000000};
    struct symbolic_stat stat = {0};
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct triple *x = &s->all.at[i];
        AUTO(sym_witness) struct sym_witness w = {0};
        struct err refusal = {0};
        struct goal g = {.kind = GOAL_ORDER, .count = 3, .also = NONE};
        const uint32_t at[3] = {x->c, x->r, x->d};
        x->answer = SAT_NO;
        for (unsigned k = 0; k < 3; k++)
            g.node[k] = node_of(p, s->recorded.at[at[k]].event);
        if (g.node[0] != NONE && g.node[1] != NONE && g.node[2] != NONE)
            x->answer = symbolic_ask(p, &g, &opts, &w, &stat, &refusal);
    }
    if (stat.refused)
        printf("witnesses refused: %llu\n", (unsigned long long)stat.refused);
}

/* The steps are those of the window, in which everything is recorded. */
static void ask_program(struct subject *s, struct ir *ir, char *const *argv)
{
    struct run_recorded recorded = {0};
    struct run_again again = {0};
    struct run_result result = {0};
    struct err err = {0};
    AUTO(trace) struct trace t = {0};
    AUTO(term_pool) struct term_pool *pool = term_pool_new();
    AUTO(ir_paths) struct ir_paths paths = {0};
    AUTO(problem) struct problem problem = {0};
    run_make_directory("recorded", &err);
    run_clear("recorded");
    if (run_target(&result, argv, "recorded", &(struct run_opts){0}, &err) < 0)
        give_up(&err);
    bool passes = run_ended_well(&result);
    run_result_done(&result);
    if (!passes)
        return;
    if (run_recorded_read(&recorded, "recorded", &err) < 0 ||
        run_again_open(&again, &recorded, true, &err) < 0 ||
        run_window(&again, &result, &(struct run_opts){0}, &err) != 0)
        give_up(&err);
    open_trace(&t, again.files.at);
    struct model *m = model_build(&t, &(struct model_opts){.keep_all = true}, &err);
    if (!m || ir_paths(&paths, ir, &t, pool, &err) < 0 ||
        problem_build(&problem, pool, m, ir, &paths, &err) < 0)
        give_up(&err);
    steps_read(&s->recorded, &t);
    find_triples(s);
    ask(s, &problem);
    model_free(m);
    run_again_close(&again);
    run_result_done(&result);
    run_recorded_done(&recorded);
}

/* ---- all --------------------------------------------------------------------------------- */

struct count {
    unsigned programs, asked, happened, found, off_path, undecided, missed, alarms;
};

static void judge(struct count *c, const struct subject *s, unsigned number)
{
    for (uint32_t i = 0; i < s->all.len; i++) {
        const struct triple *x = &s->all.at[i];
        c->asked++;
        c->happened += x->happened;
        c->found += x->happened && x->answer == SAT_YES;
        c->off_path += x->happened && x->answer != SAT_YES && !x->on_path;
        c->undecided += x->on_path && x->answer == SAT_UNKNOWN;
        c->missed += x->on_path && x->answer == SAT_NO;
        c->alarms += !x->happened && x->answer == SAT_YES;
        if ((x->on_path && x->answer == SAT_NO) || (!x->happened && x->answer == SAT_YES))
            printf("program %u: %u, %u, %u: %s\n", number, x->c, x->r, x->d,
                   x->happened ? "missed" : "FALSE ALARM");
    }
}

int triples(const char *program, unsigned count)
{
    AUTO(ir) struct ir *ir = NULL;
    struct count c = {0};
    struct err err = {0};
    if (ir_open(&ir, program, &err) < 0)
        give_up(&err);
    for (unsigned i = 0; i < count; i++) {
        char argument[16];
        snprintf(argument, sizeof argument, "%u", i);
        char *argv[] = {(char *)(uintptr_t)program, argument, NULL};
        struct subject s = {0};
        ask_program(&s, ir, argv);
        if (s.all.len && every_schedule(argv, RUNS_MAX, see, &s)) {
            c.programs++;
            judge(&c, &s, i);
        }
        vec_done(&s.all);
        vec_done(&s.recorded);
    }
    printf("%u programs, %u triples asked about; %u happen: %u found, %u only off a recorded "
           "path, %u undecided, %u missed\n%u false alarms\n",
           c.programs, c.asked, c.happened, c.found, c.off_path, c.undecided, c.missed,
           c.alarms);
    return c.alarms > 0 || c.missed > 0;
}
