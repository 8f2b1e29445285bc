/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-gather: runs under changing policies until there are enough that fail and enough that
 * pass. They end in any order and are looked at in the order of their numbers, so that what is
 * told does not depend on how many run at a time. */
#include "fix/causes.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS_DEFAULT = 400, /* at most */
    ENOUGH = 16,        /* failing, passing ones */
    KEPT_FAILING = 6,   /* of each failure, for interventions */
    KEPT_PASSING = 4,
    FAILURES_MAX = 8,
    EPOCH = 16 /* runs after which policies are compared */
};

/* The first one is as ordinary as possible; few switches find what many hide, and the other
 * way round. */
static const char *const policies[] = {"pos", "random", "pct:3"};
enum { POLICIES = sizeof policies / sizeof *policies };

struct gathering {
    struct gathered *g;
    const struct fix_opts *opts;
    VEC(struct run_done) early; /* ended before their turn */
    uint64_t next, begun;
    uint32_t number; /* of the run kept last */
    bool enough;
    uint32_t failed[POLICIES], passed[POLICIES];
    VEC(uint32_t) best; /* by epoch: the policy that had more of what was missing, or NONE */
};

/* ---- policies --------------------------------------------------------------------------- */

/* Every other run in turn. The rest is for the policy that was best two epochs before: all its
 * runs have been looked at by then, however many run at a time. */
static uint32_t policy_of(const struct gathering *x, uint64_t run)
{
    uint64_t epoch = run / EPOCH;
    uint32_t best = epoch >= 2 && epoch - 2 < x->best.len ? x->best.at[epoch - 2] : NONE;
    return best == NONE || run % 2 ? (uint32_t)(run / (best == NONE ? 1 : 2) % POLICIES) : best;
}

static void compare_policies(struct gathering *x)
{
    const uint32_t *wanted = x->g->out->failed < x->g->out->passed ? x->failed : x->passed;
    uint32_t best = 0;
    for (uint32_t i = 1; i < POLICIES; i++)
        if (wanted[i] > wanted[best])
            best = i;
    vec_push(&x->best, wanted[best] > 0 ? best : NONE);
}

/* ---- looking at runs -------------------------------------------------------------------- */

static uint32_t failure_of(struct gathering *x, const struct run_done *d)
{
    struct fix_causes *out = x->g->out;
    AUTO(str) struct str kind = {0};
    run_kind(&kind, &d->result);
    for (uint32_t i = 0; i < out->failures.len; i++)
        if (strcmp(out->failures.at[i].kind, kind.at) == 0)
            return i;
    if (out->failures.len == FAILURES_MAX)
        return NONE;
    const char *text = d->result.text.at ? d->result.text.at : "";
    vec_push(&out->failures,
             (struct fix_failure){.kind = arena_text(&out->mem, kind.at, kind.len),
                                  .text = arena_text(&out->mem, text, strcspn(text, "\n")),
                                  .outcome = d->result.outcome});
    return out->failures.len - 1;
}

/* In the program's store, under a number of its own. */
static int keep_files(struct gathering *x, struct run_done *d, const char **out,
                      struct err *err)
{
    AUTO(str) struct str path = {0};
    if (run_directory(&path, x->opts->argv[0], &x->number, err) < 0 ||
        run_rename(d->directory.at, path.at, err) < 0 || run_link_last(path.at, err) < 0)
        return -1;
    d->directory.len = 0;
    *out = arena_text(&x->g->out->mem, path.at, path.len);
    return 0;
}

static uint32_t count_kept(const struct gathered *g, uint32_t failure)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->failing.len; i++)
        count += g->failing.at[i]->failure == failure;
    return count;
}

/* A run that fails with fewer events fails for fewer reasons. */
static void keep_run(struct gathered *g, struct fix_run *r)
{
    if (r->failure == NONE) {
        if (g->passing.len < KEPT_PASSING)
            vec_push(&g->passing, r);
        else
            fix_run_free(r);
        return;
    }
    if (count_kept(g, r->failure) < KEPT_FAILING) {
        vec_push(&g->failing, r);
        return;
    }
    uint32_t longest = NONE;
    for (uint32_t i = 0; i < g->failing.len; i++)
        if (g->failing.at[i]->failure == r->failure &&
            (longest == NONE || g->failing.at[i]->ev_count > g->failing.at[longest]->ev_count))
            longest = i;
    if (g->failing.at[longest]->ev_count > r->ev_count) {
        fix_run_free(g->failing.at[longest]);
        g->failing.at[longest] = r;
    } else {
        fix_run_free(r);
    }
}

static bool is_verdict(const struct run_result *r)
{
    return r->outcome != WORD_VALUE(OUTCOME, DIVERGED) &&
           r->outcome != WORD_VALUE(OUTCOME, UNSUPPORTED);
}

static int look_at(struct gathering *x, struct run_done *d, struct err *err)
{
    struct fix_causes *out = x->g->out;
    bool failed = !run_ended_well(&d->result);
    out->runs++;
    if (!is_verdict(&d->result))
        return 0;
    struct verdict_row row = {.failure = failed ? failure_of(x, d) : NONE};
    if (failed && row.failure == NONE)
        return 0;
    struct fix_run *r = fix_run_open(d->directory.at, &x->g->sites, err);
    if (!r)
        return -1;
    r->failure = row.failure;
    r->id = (uint32_t)d->id;
    suspects_of(x->g, r, &row);
    vec_push(&x->g->rows, row);
    keep_run(x->g, r);
    (failed ? x->failed : x->passed)[policy_of(x, d->id)] += d->id > 0;
    if (failed) {
        struct fix_failure *f = &out->failures.at[row.failure];
        out->failed++;
        return f->count++ == 0 ? keep_files(x, d, &f->run, err) : 0;
    }
    return out->passed++ == 0 ? keep_files(x, d, &out->passing, err) : 0;
}

static bool is_enough(const struct gathering *x)
{
    const struct fix_causes *out = x->g->out;
    uint64_t most = 0;
    for (uint32_t i = 0; i < out->failures.len; i++)
        most = out->failures.at[i].count > most ? out->failures.at[i].count : most;
    return most >= ENOUGH && out->passed >= ENOUGH;
}

/* All whose turn it is. */
static int look_in_turn(struct gathering *x, struct err *err)
{
    for (uint32_t i = 0; i < x->early.len && !x->enough;) {
        if (x->early.at[i].id != x->next) {
            i++;
            continue;
        }
        struct run_done d = x->early.at[i];
        x->early.at[i] = x->early.at[--x->early.len];
        int failed = look_at(x, &d, err);
        run_done_drop(&d);
        if (failed)
            return -1;
        if (++x->next % EPOCH == 0)
            compare_policies(x);
        x->enough = is_enough(x);
        if (x->opts->progress)
            x->opts->progress("exploring", x->next);
        i = 0;
    }
    return 0;
}

static int explore(struct gathering *x, struct run_pool *pool, uint64_t most, struct err *err)
{
    struct run_opts run = x->opts->run;
    uint64_t seed = run.seed;
    while (!x->enough && !run_signal()) {
        while (x->begun < most && x->begun < x->next + EPOCH && !run_pool_is_full(pool)) {
            run.policy = x->begun == 0 ? "fifo" : policies[policy_of(x, x->begun)];
            run.seed = seed + x->begun;
            if (run_pool_start(pool, x->begun++, &run, err) < 0)
                return -1;
        }
        if (run_pool_is_idle(pool))
            return 0;
        struct run_done d;
        if (run_pool_next(pool, &d, err) < 0)
            return -1;
        vec_push(&x->early, d);
        if (look_in_turn(x, err) < 0)
            return -1;
    }
    return 0;
}

int gather(struct gathered *g, const struct fix_opts *opts, struct err *err)
{
    struct gathering x = {.g = g, .opts = opts};
    struct run_pool *pool;
    const char *before = getenv("HEDDLE_RECORD");
    if (!before)
        setenv("HEDDLE_RECORD", "calls=1", 1); /* the stacks of what happens */
    int failed = run_pool_open(&pool, opts->argv, &opts->pool, err);
    if (!failed) {
        failed = explore(&x, pool, opts->runs ? opts->runs : RUNS_DEFAULT, err);
        run_pool_close(pool);
    }
    if (!before)
        unsetenv("HEDDLE_RECORD");
    for (uint32_t i = 0; i < x.early.len; i++)
        run_done_drop(&x.early.at[i]);
    vec_done(&x.early);
    vec_done(&x.best);
    return failed;
}

void gathered_done(struct gathered *g)
{
    for (uint32_t i = 0; i < g->rows.len; i++)
        vec_done(&g->rows.at[i].keys);
    for (uint32_t i = 0; i < g->failing.len; i++)
        fix_run_free(g->failing.at[i]);
    for (uint32_t i = 0; i < g->passing.len; i++)
        fix_run_free(g->passing.at[i]);
    vec_done(&g->rows);
    vec_done(&g->failing);
    vec_done(&g->passing);
    vec_done(&g->suspects);
    vec_done(&g->before);
    map_done(&g->by_hash);
    site_table_done(&g->sites);
}
