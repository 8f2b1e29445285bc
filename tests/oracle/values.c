/* SPDX-License-Identifier: Apache-2.0
 *
 * values: random programs against all of their schedules.
 *
 *     values generate COUNT SEED SIZE   prints a file of programs
 *     values check PROGRAM COUNT        asks about each program of the built file
 *     values orders PROGRAM COUNT       the same about orders of accesses: values-orders.c
 *
 * Each program is run once; about each assertion on the recorded paths the symbolic stage is
 * asked whether it can fail. Then the real runtime runs all schedules up to equivalence.
 * What the stage says to be possible must happen (no false alarm), and what happens must
 * have been said, unless the failing run leaves the recorded path of some thread before it
 * fails. */
#include "oracle/schedules.h"
#include "oracle/values.h"

#include "explore/explore.h"
#include "ir/ir.h"
#include "model/model.h"
#include "symbolic/symbolic.h"

#include <string.h>

enum { RUNS_MAX = 400, WORK = 3000000 };

struct count {
    unsigned programs, failing, large, asked;
    unsigned possible, found; /* assertions that can fail, and were said to */
    unsigned alarms;          /* said to fail, and never do */
    unsigned off_path;        /* not found: the failing run leaves a recorded path */
    unsigned missed, undecided, unseen;
};

struct asked {
    uint32_t line;
    enum verdict_sat answer;
};
typedef VEC(struct asked) asked_list;

/* ---- the stage --------------------------------------------------------------------------- */

static void note(asked_list *out, uint32_t line, enum verdict_sat answer)
{
    for (uint32_t i = 0; i < out->len; i++) {
        struct asked *a = &out->at[i];
        if (a->line != line)
            continue;
        if (answer == SAT_YES || (answer == SAT_UNKNOWN && a->answer == SAT_NO))
            a->answer = answer;
        return;
    }
    vec_push(out, (struct asked){line, answer});
}

static void ask_problem(const struct problem *p, const struct trace *t, asked_list *out)
{
    struct symbolic_opts opts = {.work = WORK};
    struct symbolic_stat stat = {0};
    for (node_id n = 0; n < p->nodes.len; n++) {
        const struct node *at = &p->nodes.at[n];
        AUTO(sym_witness) struct sym_witness w = {0};
        struct err refusal = {0};
        if (at->op != NODE_CHECK || at->why != IR_ASSERT || at->site == NONE)
            continue;
        struct goal g = {.kind = GOAL_CHECK, .count = 1, .node = {n}, .also = NONE};
        enum verdict_sat answer = symbolic_ask(p, &g, &opts, &w, &stat, &refusal);
        note(out, t->sites.at[at->site].line, answer);
    }
    if (stat.refused)
        printf("witnesses refused: %llu\n", (unsigned long long)stat.refused);
}

/* False: some path does not go to its end. */
static bool ask_window(struct ir *ir, const char *window, asked_list *out)
{
    AUTO(str) struct str path = {0}, where = {0};
    AUTO(trace) struct trace t = {0};
    AUTO(term_pool) struct term_pool *pool = term_pool_new();
    AUTO(ir_paths) struct ir_paths paths = {0};
    AUTO(problem) struct problem problem = {0};
    struct err err;
    str_add(&path, "%s/trace", window);
    if (trace_open(&t, path.at, &err) < 0 || ir_paths(&paths, ir, &t, pool, &err) < 0)
        give_up(&err);
    struct model *m = model_build(&t, &(struct model_opts){.keep_all = true}, &err);
    if (!m || problem_build(&problem, pool, m, ir, &paths, &err) < 0)
        give_up(&err);
    bool is_whole = true;
    for (uint32_t i = 0; i < paths.at.len; i++)
        is_whole &= paths.at.at[i].is_whole;
    if (ir_check(&paths, pool, &where))
        printf("a term has another value than in the run: %s\n", where.at);
    ask_problem(&problem, &t, out);
    model_free(m);
    return is_whole;
}

/* ---- which way a run went ---------------------------------------------------------------- */

struct way {
    VEC(uint64_t) steps; /* line, column, kind and address of each event of one thread */
};
typedef VEC(struct way) ways;

static void ways_read(ways *out, const char *run)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    struct err err;
    struct ev e;
    int item;
    str_add(&path, "%s/trace", run);
    if (trace_open(&t, path.at, &err) < 0)
        give_up(&err);
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, &err)) > 0) {
        bool is_end = item == ITEM_EVENT && e.kind == EV_EXIT;
        bool is_step = item == ITEM_EVENT && e.kind != EV_BRANCH && e.kind < EV_END_EXIT &&
                       !is_end && e.kind != EV_REQUEST && e.kind != EV_OUTPUT;
        if (is_end && e.thr < out->len) /* a thread that ends early has left its path */
            vec_push(&out->at[e.thr].steps, NO_EVENT);
        if (!is_step || e.site >= t.sites.len || !t.sites.at[e.site].line)
            continue;
        while (out->len <= e.thr)
            vec_push(out, (struct way){0});
        const struct def_site *s = &t.sites.at[e.site];
        uint64_t where = ev_acts_on(e.kind) == ON_MEMORY ? e.addr : 0;
        vec_push(&out->at[e.thr].steps,
                 hash_u64((uint64_t)s->line << 32 | (uint64_t)s->column << 8 | e.kind) ^ where);
    }
    free(c);
}

static void ways_done(ways *w)
{
    for (uint32_t i = 0; i < w->len; i++)
        vec_done(&w->at[i].steps);
    vec_done(w);
}

/* Does every thread do the beginning of what it did in the recorded run? */
static bool stays_on(const ways *recorded, const ways *w)
{
    for (uint32_t t = 0; t < w->len; t++) {
        uint32_t len = w->at[t].steps.len;
        if (t >= recorded->len || len > recorded->at[t].steps.len)
            return false;
        for (uint32_t i = 0; i < len; i++)
            if (w->at[t].steps.at[i] != recorded->at[t].steps.at[i])
                return false;
    }
    return true;
}

/* ---- all schedules ----------------------------------------------------------------------- */

/* A kind is "assert FILE:LINE". */
static uint32_t failing_line(const struct run_row *row)
{
    const char *colon = row->kind.len ? strrchr(row->kind.at, ':') : NULL;
    return colon && strncmp(row->kind.at, "assert", 6) == 0
               ? (uint32_t)strtoul(colon + 1, NULL, 10)
               : 0;
}

/* Of all runs that fail there one was kept, the first. */
static bool stays_on_path(const struct run_row *row, const ways *recorded)
{
    ways w = {0};
    ways_read(&w, row->directory.at);
    bool stays = stays_on(recorded, &w);
    ways_done(&w);
    return stays;
}

static enum verdict_sat *answer_of(const asked_list *l, uint32_t line)
{
    for (uint32_t i = 0; i < l->len; i++)
        if (l->at[i].line == line)
            return &l->at[i].answer;
    return NULL;
}

static void judge_failing(struct count *c, unsigned number, const struct run_row *row,
                          const asked_list *asked, const ways *recorded)
{
    uint32_t line = failing_line(row);
    const enum verdict_sat *answer = answer_of(asked, line);
    c->possible++;
    if (answer && *answer == SAT_YES) {
        c->found++;
    } else if (!stays_on_path(row, recorded)) {
        c->off_path++;
    } else if (answer && *answer == SAT_UNKNOWN) {
        c->undecided++;
    } else {
        c->missed++;
        printf("program %u: the assertion on line %u can fail, %s\n", number, line,
               answer ? "and was said not to" : "and was not asked about");
    }
}

static bool fails(const struct run_table *t, uint32_t line)
{
    for (uint32_t i = 0; i < t->rows.len; i++)
        if (failing_line(&t->rows.at[i]) == line)
            return true;
    return false;
}

/* ---- one program ------------------------------------------------------------------------- */

/* What its runs were. They come first: starting one is cheap as long as no bitcode is
 * loaded. */
struct program {
    struct run_table table;
    ways way;
    struct str window; /* directory; empty: there is nothing to ask */
};

static void record_window(struct program *p, const char *run, unsigned number)
{
    struct run_recorded recorded = {0};
    struct run_again again = {0};
    struct run_result result = {0};
    struct err err = {0};
    if (run_recorded_read(&recorded, run, &err) < 0 ||
        run_again_open(&again, &recorded, true, &err) < 0 ||
        run_window(&again, &result, &(struct run_opts){0}, &err) != 0)
        give_up(&err);
    str_add(&p->window, "window-%u", number);
    if (run_rename(again.files.at, p->window.at, &err) < 0)
        give_up(&err);
    run_again_close(&again);
    run_result_done(&result);
    run_recorded_done(&recorded);
}

static void run_program(struct program *p, struct count *c, const char *name, unsigned number)
{
    char argument[16];
    snprintf(argument, sizeof argument, "%u", number);
    char *argv[] = {(char *)(uintptr_t)name, argument, NULL};
    struct run_result result = {0};
    struct explore_count explored = {0};
    struct err err = {0};
    run_make_directory("recorded", &err);
    run_clear("recorded");
    if (run_target(&result, argv, "recorded", &(struct run_opts){0}, &err) < 0)
        give_up(&err);
    c->programs++;
    bool passes = run_ended_well(&result);
    run_result_done(&result);
    if (!passes) {
        c->failing++;
        return;
    }
    struct run_many_opts many = {.pool = {.in_place = true}, .runs = RUNS_MAX, .keep = 1};
    if (explore_program(&p->table, &explored, argv, &(struct run_opts){0}, &many,
                        EXPLORE_UNBOUNDED, &err) < 0)
        give_up(&err);
    if (!explored.complete) {
        c->large++;
        return;
    }
    record_window(p, "recorded", number);
    ways_read(&p->way, "recorded");
}

static void judge_program(struct program *p, struct count *c, struct ir *ir, unsigned number)
{
    asked_list asked = {0};
    c->unseen += !ask_window(ir, p->window.at, &asked);
    c->asked += asked.len;
    for (uint32_t i = 0; i < p->table.rows.len; i++)
        if (failing_line(&p->table.rows.at[i]))
            judge_failing(c, number, &p->table.rows.at[i], &asked, &p->way);
    for (uint32_t i = 0; i < asked.len; i++)
        if (asked.at[i].answer == SAT_YES && !fails(&p->table, asked.at[i].line)) {
            c->alarms++;
            printf("program %u: FALSE ALARM on line %u\n", number, asked.at[i].line);
        }
    vec_done(&asked);
}

static int check(const char *name, unsigned count)
{
    AUTO(ir) struct ir *ir = NULL;
    struct program *programs = mem_zeroed(count, sizeof *programs);
    struct count c = {0};
    struct err err = {0};
    for (unsigned i = 0; i < count; i++)
        run_program(&programs[i], &c, name, i);
    if (ir_open(&ir, name, &err) < 0)
        give_up(&err);
    for (unsigned i = 0; i < count; i++) {
        if (programs[i].window.len) {
            judge_program(&programs[i], &c, ir, i);
            run_remove_tree(programs[i].window.at);
        }
        run_table_done(&programs[i].table);
        ways_done(&programs[i].way);
        str_done(&programs[i].window);
    }
    free(programs);
    printf(
        "%u programs; %u fail when recorded, %u have too many schedules, %u paths not whole\n",
        c.programs, c.failing, c.large, c.unseen);
    printf("%u assertions asked about; %u can fail: %u found, %u only off a recorded path, "
           "%u undecided, %u missed\n",
           c.asked, c.possible, c.found, c.off_path, c.undecided, c.missed);
    printf("%u false alarms\n", c.alarms);
    return c.alarms > 0 || c.missed > 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "generate") == 0) {
        AUTO(str) struct str out = {0};
        generate(&out, (unsigned)strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
                 (unsigned)strtoul(argv[4], NULL, 10));
        fwrite(out.at, 1, out.len, stdout);
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "check") == 0)
        return check(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "orders") == 0)
        return orders(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
    return 2;
}
