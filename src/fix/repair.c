/* SPDX-License-Identifier: Apache-2.0
 *
 * repair: the cheapest plan is built and judged; a schedule that breaks it says what is
 * missing, and the next plan has something against that, too; until one is proven. */
#include "fix/plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ROUNDS_DEFAULT = 16,
    ROUNDS_OTHER = 4, /* more, for each alternative */
    LAST_ROUNDS = 2,
    LEARN_MAX = 6,        /* looks into a patched program that fails */
    LEARN_FIRST = 4,      /* of these, for the first that fail */
    STEPS_LEAST = 100000, /* that a patched program may take, and */
    STEPS_PER_BYTE = 4,   /* for each byte of a recorded run: some thirty times its events */
    SERIAL_ROUNDS = 4,    /* that another plan has when a proven one has taken threads apart */
    LEARN_LATE = 3        /* rounds without success, after which any failure is looked into */
};

static bool is_better(const struct fix_candidate *a, const struct fix_candidate *b)
{
    if (a->state != b->state)
        return a->state > b->state;
    if (a->is_worse != b->is_worse)
        return b->is_worse;
    if (a->is_helping != b->is_helping)
        return a->is_helping;
    if (a->is_large != b->is_large || a->is_surplus != b->is_surplus)
        return a->is_large + a->is_surplus < b->is_large + b->is_surplus;
    if ((a->is_last || a->is_serial) != (b->is_last || b->is_serial))
        return b->is_last || b->is_serial;
    if (a->is_heavy != b->is_heavy)
        return b->is_heavy;
    if (a->locks != b->locks)
        return a->locks < b->locks;
    return a->lines < b->lines;
}

/* ---- what a plan that failed teaches ----------------------------------------------------- */

struct loop {
    struct fix_repair *out;
    const struct fix_repair_opts *opts;
    struct planner planner;
    struct causes grown; /* those that were known, and what was learnt */
    uint32_t learnt;     /* times */
    uint32_t learnt_at;  /* the round of the last one */
    move_list taught_by; /* by failure: the round whose program has shown it, 0: none */
};

/* Another failure that is known, and that the plan has nothing against; NONE. */
static uint32_t known_failure(struct loop *l, const struct fix_candidate *c,
                              const move_list *plan)
{
    const struct causes *all = &l->grown;
    for (uint32_t i = 0; i < all->failures.len; i++)
        if (strcmp(all->failures.at[i].kind, c->ends_in) == 0 &&
            !plan_excludes(&l->planner, plan, i))
            return i;
    return NONE;
}

/* Is it worth some hundred runs? The first failures are, and so are a patch with which the
 * failing schedules pass, one that fails otherwise than before, and the last of many. */
static bool is_worth_it(const struct loop *l, const struct fix_candidate *c)
{
    uint32_t failure = l->grown.causes.at[c->cause].failure;
    bool is_new = *c->ends_in && failure < l->grown.failures.len &&
                  strcmp(l->grown.failures.at[failure].kind, c->ends_in) != 0;
    return l->learnt < LEARN_MAX && (l->learnt < LEARN_FIRST || c->is_helping || is_new ||
                                     l->out->rounds >= l->learnt_at + LEARN_LATE);
}

static int learn(struct loop *l, uint32_t number, const move_list *plan, struct err *err)
{
    const struct fix_candidate *c = &l->out->candidates.at[number];
    plan_tried(&l->planner, plan, c->state == FIX_PARTIAL ? PLAN_FAILED : PLAN_REFUSED, number);
    if (c->state != FIX_PARTIAL || !*c->breaks)
        return 0;
    uint32_t known = known_failure(l, c, plan);
    if (known != NONE) {
        planner_require(&l->planner, known);
        return 0;
    }
    if (!is_worth_it(l, c))
        return 0;
    uint32_t causes = l->grown.causes.len;
    l->learnt++;
    l->learnt_at = l->out->rounds;
    int failed = learn_causes(&l->grown, c, l->opts, err);
    if (failed)
        return failed < 0 ? -1 : 0;
    causes_resite(l->planner.code, &l->grown, causes);
    uint32_t failure = l->grown.failures.len - 1;
    CHECK(l->grown.failures.len > 0 && l->grown.causes.len > causes);
    for (uint32_t i = causes; i < l->grown.causes.len; i++)
        CHECK(l->grown.causes.at[i].failure == failure);
    while (l->taught_by.len < failure)
        vec_push(&l->taught_by, 0);
    vec_push(&l->taught_by, c->round);
    planner_doubt(&l->planner, plan, failure);
    planner_ask(&l->planner, causes);
    planner_require(&l->planner, failure);
    return 0;
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* The candidate that the plan became, built and judged; NONE: its moves make no patch. */
static int prove_plan(struct loop *l, const move_list *plan, uint32_t *number, struct err *err)
{
    struct fix_repair *out = l->out;
    *number = NONE;
    if (!plan_make(&l->planner, plan, out, l->opts->texts))
        return 0;
    uint32_t last = out->candidates.len - 1;
    struct fix_candidate *c = &out->candidates.at[last];
    if (!c->lines) { /* what changes nothing is no patch */
        candidate_free(c);
        out->candidates.len--;
        return 0;
    }
    c->is_large = l->opts->lines_max && c->lines > l->opts->lines_max;
    c->round = ++out->rounds;
    if (l->opts->progress)
        l->opts->progress("patches tried", out->rounds);
    if (candidate_prove(out, c, l->planner.code, l->opts, err) < 0)
        return -1;
    CHECK(c == &out->candidates.at[last]);
    candidate_check(c);
    if (out->best == NONE || is_better(c, &out->candidates.at[out->best]))
        out->best = last;
    *number = last;
    return 0;
}

/* The plan is proven; one move may be too many in it: the others alone may do. */
static int shrink(struct loop *l, uint32_t proven, const move_list *plan, struct err *err)
{
    move_list left = {0};
    int failed = 0;
    for (uint32_t i = 0; i < plan->len; i++)
        vec_push(&left, plan->at[i]);
    for (uint32_t i = 0; i < left.len && left.len > 1 && !failed && !run_signal(); i++) {
        uint32_t number, without = left.at[i];
        left.at[i] = left.at[left.len - 1];
        left.len--;
        if (!plan_was_tried(&l->planner, &left))
            failed = prove_plan(l, &left, &number, err);
        else
            number = NONE;
        bool is_enough =
            !failed && number != NONE && l->out->candidates.at[number].state == FIX_PROVEN;
        plan_tried(&l->planner, &left, is_enough ? PLAN_REFUSED : PLAN_FAILED, number);
        if (is_enough) {
            CHECK(proven != number && l->out->candidates.at[proven].state == FIX_PROVEN);
            l->out->candidates.at[proven].is_surplus = true;
            proven = number;
            i = (uint32_t)-1; /* of fewer, from the beginning */
            continue;
        }
        vec_push(&left, left.at[i]);
        left.at[i] = without;
    }
    CHECK(left.len > 0 && left.len <= plan->len);
    vec_done(&left);
    return failed;
}

/* Some were found to have more moves than they need. */
static void choose_best(struct fix_repair *out)
{
    CHECK(out->best != NONE && out->best < out->candidates.len);
    for (uint32_t i = 0; i < out->candidates.len; i++)
        if (out->candidates.at[i].round &&
            is_better(&out->candidates.at[i], &out->candidates.at[out->best]))
            out->best = i;
}

static uint32_t count_answers(const struct fix_repair *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->candidates.len; i++) {
        const struct fix_candidate *c = &out->candidates.at[i];
        bool is_early = c->is_serial && out->rounds < c->round + SERIAL_ROUNDS;
        count += c->state == FIX_PROVEN && !c->is_large && !c->is_surplus && !is_early;
    }
    return count;
}

static bool is_enough(const struct loop *l)
{
    return !l->opts->all && count_answers(l->out) > l->opts->alternatives;
}

/* 1: it is enough. */
static int try_plan(struct loop *l, const move_list *plan, struct err *err)
{
    uint32_t number;
    if (prove_plan(l, plan, &number, err) < 0)
        return -1;
    if (number == NONE) {
        plan_tried(&l->planner, plan, PLAN_FAILED, NONE);
        return 0;
    }
    if (run_signal())
        return 1;
    if (l->out->candidates.at[number].state != FIX_PROVEN) {
        int learnt = learn(l, number, plan, err);
        return learnt ? learnt : is_enough(l);
    }
    plan_tried(&l->planner, plan, PLAN_REFUSED, number); /* nor with anything more */
    bool is_for_several = l->opts->other_count > 0;      /* each move is for its own finding */
    if (plan->len > 1 && !is_for_several && shrink(l, number, plan, err) < 0)
        return -1;
    choose_best(l->out);
    return is_enough(l);
}

static int try_all(struct loop *l, struct err *err)
{
    uint32_t rounds = l->opts->rounds ? l->opts->rounds
                                      : ROUNDS_DEFAULT + ROUNDS_OTHER * l->opts->alternatives;
    move_list plan = {0};
    int done = 0;
    while (!done && l->out->rounds < rounds) {
        uint32_t last = plan_last_left(&l->planner);
        last = last < LAST_ROUNDS ? last : LAST_ROUNDS;
        bool with_last =
            last && l->out->rounds + last >= rounds && l->out->rounds > l->opts->rounds_done;
        bool is_listed = l->learnt && l->out->rounds % 2 == 0 && !l->planner.is_for_several;
        done = plan_next(&l->planner,
                         with_last   ? PLAN_LAST
                         : is_listed ? PLAN_LISTED
                                     : PLAN_LEARNT,
                         &plan, err);
        if (!done)
            done = try_plan(l, &plan, err);
    }
    vec_done(&plan);
    return done < 0 ? -1 : 0;
}

/* Who reads of them knows the causes that there were before. */
static void forget_learnt(struct fix_repair *out, uint32_t causes)
{
    for (uint32_t i = 0; i < out->candidates.len; i++)
        if (out->candidates.at[i].cause >= causes)
            out->candidates.at[i].cause = 0;
}

/* What was not tried is told as well. */
static void tell_untried(struct loop *l)
{
    struct planner *p = &l->planner;
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        move_list plan = {0};
        bool is_tried = false;
        for (uint32_t i = 0; i < p->tried.len; i++)
            is_tried |= p->tried.at[i].moves.len == 1 && p->tried.at[i].moves.at[0] == m;
        vec_push(&plan, m);
        bool is_made = !is_tried && plan_make(p, &plan, l->out, l->opts->texts);
        vec_done(&plan);
        struct fix_candidate *c =
            is_made ? &l->out->candidates.at[l->out->candidates.len - 1] : NULL;
        if (c && !c->lines) {
            candidate_free(c);
            l->out->candidates.len--;
        }
    }
    for (uint32_t i = 0; i < p->made.refusals.len; i++) {
        const char *text = p->made.refusals.at[i];
        vec_push(&l->out->refusals, arena_text(&l->out->mem, text, strlen(text)));
    }
}

/* The list can grow; what it tells is borrowed. */
static void causes_copy(struct causes *out, const struct causes *from)
{
    *out = (struct causes){.passing = from->passing};
    for (uint32_t i = 0; i < from->failures.len; i++)
        vec_push(&out->failures, from->failures.at[i]);
    for (uint32_t i = 0; i < from->causes.len; i++)
        vec_push(&out->causes, from->causes.at[i]);
    for (uint32_t i = 0; i < from->ran.len; i++)
        vec_push(&out->ran, from->ran.at[i]);
}

/* Which accesses had company is seen in the runs that are told of. */
static int mark_alone(struct codebase *code, const struct fix_repair_opts *opts,
                      struct err *err)
{
    AUTO(str) struct str recorded = {0};
    str_add(&recorded, "%s/%s", opts->home, opts->recorded ? opts->recorded : "");
    if (opts->recorded && codebase_mark_alone(code, recorded.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < code->causes->failures.len; i++)
        if (codebase_mark_alone(code, code->causes->failures.at[i].run, err) < 0)
            return -1;
    return code->causes->passing ? codebase_mark_alone(code, code->causes->passing, err) : 0;
}

/* A patch may let a thread spin where it waited before: what takes many times as long as the
 * program did is cut, and says nothing. */
static uint64_t steps_allowed(const struct causes *causes)
{
    AUTO(str) struct str path = {0};
    struct stat told;
    bool has_failed = causes->failures.len && *causes->failures.at[0].run;
    const char *run = causes->passing ? causes->passing
                      : has_failed    ? causes->failures.at[0].run
                                      : NULL;
    if (!run)
        return 0;
    str_add(&path, "%s/trace", run);
    uint64_t bytes = stat(path.at, &told) == 0 ? (uint64_t)told.st_size : 0;
    return bytes ? STEPS_LEAST + bytes * STEPS_PER_BYTE : 0;
}

int fix_repair(struct fix_repair *out, const struct causes *causes, const struct guards *guards,
               const struct fix_repair_opts *asked, struct err *err)
{
    struct codebase code;
    struct fix_repair_opts bounded = *asked, *opts = &bounded;
    if (!opts->run.steps_max)
        opts->run.steps_max = steps_allowed(causes);
    *out = (struct fix_repair){.best = NONE, .rounds = opts->rounds_done};
    const char *original = opts->original ? opts->original : opts->argv[0];
    if (codebase_open(&code, original, opts->texts, err) < 0)
        return -1;
    struct loop l = {.out = out,
                     .opts = opts,
                     .planner = {.code = &code, .is_for_several = opts->other_count > 0}};
    causes_copy(&l.grown, causes);
    code.causes = &l.grown;
    code.guards = guards;
    code.with_unrun = opts->unrun;
    causes_resite(&code, &l.grown, 0);
    int failed = mark_alone(&code, opts, err);
    if (!failed) {
        planner_ask(&l.planner, 0);
        for (uint32_t i = 0; i < l.grown.causes.len && opts->other_count; i++)
            planner_require(&l.planner, l.grown.causes.at[i].failure);
        failed = try_all(&l, err);
    }
    if (!failed && opts->explain)
        plan_account(&l.planner, &l.taught_by, out);
    if (!failed)
        tell_untried(&l);
    forget_learnt(out, causes->causes.len);
    if (out->best != NONE && out->candidates.at[out->best].is_worse)
        out->best = NONE; /* what makes it worse is no answer */
    CHECK(out->best == NONE || (out->best < out->candidates.len &&
                                out->candidates.at[out->best].state != FIX_UNTRIED));
    planner_done(&l.planner);
    vec_done(&l.taught_by);
    causes_done(&l.grown);
    codebase_close(&code);
    return failed;
}
