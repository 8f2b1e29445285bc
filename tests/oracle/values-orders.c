/* SPDX-License-Identifier: Apache-2.0
 *
 * values-orders: random programs, and orders of accesses in them. Of two accesses of one thread
 * to a variable and one of another thread to the same, which no serial order allows between
 * them (a triple): the symbolic stage says whether it can come between, and all schedules show
 * whether it does, with every thread on its recorded path up to there. Of two accesses of
 * different threads, one of them a write (a race): whether both can be next at once. Schedules
 * are enumerated up to equivalence: two accesses of a run were next at once in an equal one if
 * nothing that happened comes behind the one and before the other by need. */
#include "oracle/schedules.h"
#include "oracle/values.h"

#include "ir/ir.h"
#include "model/model.h"
#include "run/run.h"
#include "symbolic/symbolic.h"

#include <string.h>

enum { RUNS_MAX = 400, TRIPLES_MAX = 40, RACES_MAX = 40 };

/* The nth step of a thread, if it is an access. */
struct step {
    uint64_t what;  /* line, column, kind and address: what makes two runs go the same way */
    uint64_t event; /* in its trace */
    uint64_t addr;
    uint32_t thr, nth, peer; /* peer: the thread that is created or joined */
    uint8_t kind;
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
                                    .peer = e.peer,
                                    .kind = e.kind,
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

struct order {
    uint32_t c, r, d; /* steps of the recorded run; d is NONE: a race of the others */
    enum verdict_sat answer;
    bool happened, on_path;
    bool is_cut; /* race: one of them was the last of a run, and the other may have been next */
};

struct subject {
    steps recorded;
    VEC(struct order) all;
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
                    vec_push(&s->all, (struct order){.c = c, .r = r, .d = d});
}

static void find_races(struct subject *s)
{
    const struct step *at = s->recorded.at;
    uint32_t first = s->all.len;
    for (uint32_t c = 0; c < s->recorded.len; c++)
        for (uint32_t r = c + 1; r < s->recorded.len; r++)
            if (s->all.len - first < RACES_MAX && at[c].is_access && at[r].is_access &&
                at[r].thr != at[c].thr && at[c].addr == at[r].addr &&
                (at[c].writes || at[r].writes))
                vec_push(&s->all, (struct order){.c = c, .r = r, .d = NONE});
}

/* ---- what comes before what, by need ----------------------------------------------------- */

static bool are_dependent(const struct step *a, const struct step *b)
{
    if (a->thr == b->thr)
        return true;
    if (a->is_access && b->is_access)
        return a->addr == b->addr && (a->writes || b->writes);
    if ((a->kind == EV_CREATE && a->peer == b->thr) ||
        (b->kind == EV_JOIN && b->peer == a->thr))
        return true;
    bool are_sync = !a->is_access && !b->is_access && a->kind != EV_CREATE &&
                    b->kind != EV_CREATE && a->kind != EV_JOIN && b->kind != EV_JOIN;
    return are_sync && a->addr == b->addr;
}

/* before[i * len + k]: step k of the run comes before step i in every run equal to it. */
static bool *needs_of(const steps *run)
{
    uint32_t len = run->len;
    bool *before = mem_zeroed((size_t)len * len + 1, sizeof *before);
    for (uint32_t i = 0; i < len; i++)
        for (uint32_t k = i; k-- > 0;) {
            if (before[i * len + k] || !are_dependent(&run->at[k], &run->at[i]))
                continue;
            before[i * len + k] = true;
            for (uint32_t j = 0; j < k; j++)
                before[i * len + j] |= before[k * len + j];
        }
    return before;
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

/* Were these two next at once in a run equal to this one, and was everything that they need on
 * the recorded paths? */
static void see_race(struct order *x, const struct subject *s, const steps *run,
                     const bool *before)
{
    uint32_t a = find_step(run, &s->recorded.at[x->c]),
             b = find_step(run, &s->recorded.at[x->r]);
    uint32_t len = run->len;
    x->is_cut |= (a == NONE) != (b == NONE) && (a == NONE ? b : a) + 1 == len;
    if (a == NONE || b == NONE)
        return;
    uint32_t last = a > b ? a : b, first = a > b ? b : a;
    bool on_path = true;
    for (uint32_t i = 0; i < last; i++) {
        if (before[i * len + first] && before[last * len + i])
            return;
        if (before[first * len + i] || before[last * len + i])
            on_path &= find_step(&s->recorded, &run->at[i]) != NONE;
    }
    x->happened = true;
    x->on_path |= on_path;
}

static void see(void *arg, const char *directory)
{
    struct subject *s = arg;
    AUTO(trace) struct trace t = {0};
    steps run = {0};
    open_trace(&t, directory);
    steps_read(&run, &t);
    bool *before = needs_of(&run);
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct order *x = &s->all.at[i];
        if (x->d == NONE) {
            see_race(x, s, &run, before);
            continue;
        }
        uint32_t c = find_step(&run, &s->recorded.at[x->c]),
                 r = find_step(&run, &s->recorded.at[x->r]),
                 d = find_step(&run, &s->recorded.at[x->d]);
        if (c == NONE || r == NONE || d == NONE || !(c < r && r < d))
            continue;
        x->happened = true;
        x->on_path |= is_on_path(&s->recorded, &run, d);
    }
    free(before);
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
        struct order *x = &s->all.at[i];
        AUTO(sym_witness) struct sym_witness w = {0};
        struct err refusal = {0};
        bool is_race = x->d == NONE, is_here = true;
        struct goal g = {.kind = is_race ? GOAL_RACE : GOAL_ORDER, .also = NONE};
        const uint32_t at[3] = {x->c, x->r, x->d};
        g.count = is_race ? 2 : 3;
        x->answer = SAT_NO;
        for (unsigned k = 0; k < g.count; k++) {
            g.node[k] = node_of(p, s->recorded.at[at[k]].event);
            is_here &= g.node[k] != NONE;
        }
        if (is_here)
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
    find_races(s);
    ask(s, &problem);
    model_free(m);
    run_again_close(&again);
    run_result_done(&result);
    run_recorded_done(&recorded);
}

/* ---- all --------------------------------------------------------------------------------- */

struct count {
    unsigned asked, happened, found, off_path, undecided, missed, alarms, cut;
};

static void judge(struct count *c, const struct order *x, unsigned number)
{
    bool is_missed = x->on_path && x->answer == SAT_NO;
    bool is_alarm = !x->happened && x->answer == SAT_YES;
    c->asked++;
    c->happened += x->happened;
    c->found += x->happened && x->answer == SAT_YES;
    c->off_path += x->happened && x->answer != SAT_YES && !x->on_path;
    c->undecided += x->on_path && x->answer == SAT_UNKNOWN;
    c->missed += is_missed;
    c->cut += is_alarm && x->is_cut;
    c->alarms += is_alarm && !x->is_cut;
    if (is_missed || (is_alarm && !x->is_cut))
        printf("program %u: %d, %d, %d: %s\n", number, (int)x->c, (int)x->r, (int)x->d,
               x->happened ? "missed" : "FALSE ALARM");
}

static void print_count(const struct count *c, const char *what)
{
    printf("%u %s asked about; %u happen: %u found, %u only off a recorded path, %u undecided, "
           "%u missed",
           c->asked, what, c->happened, c->found, c->off_path, c->undecided, c->missed);
    if (c->cut)
        printf("; %u end the program before they can be seen", c->cut);
    printf("\n");
}

int orders(const char *program, unsigned count)
{
    AUTO(ir) struct ir *ir = NULL;
    struct count of[2] = {{0}}; /* triples, races */
    struct err err = {0};
    unsigned programs = 0;
    if (ir_open(&ir, program, &err) < 0)
        give_up(&err);
    for (unsigned i = 0; i < count; i++) {
        char argument[16];
        snprintf(argument, sizeof argument, "%u", i);
        char *argv[] = {(char *)(uintptr_t)program, argument, NULL};
        struct subject s = {0};
        ask_program(&s, ir, argv);
        bool is_judged = s.all.len && every_schedule(argv, RUNS_MAX, see, &s);
        programs += is_judged;
        for (uint32_t k = 0; is_judged && k < s.all.len; k++)
            judge(&of[s.all.at[k].d == NONE], &s.all.at[k], i);
        vec_done(&s.all);
        vec_done(&s.recorded);
    }
    printf("%u programs\n", programs);
    print_count(&of[0], "triples");
    print_count(&of[1], "races");
    printf("%u false alarms\n", of[0].alarms + of[1].alarms);
    return of[0].alarms + of[1].alarms + of[0].missed + of[1].missed > 0;
}
