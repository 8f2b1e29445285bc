/* SPDX-License-Identifier: Apache-2.0
 *
 * seek-runs: runs under changing policies. They end in any order and are looked at in the
 * order of their numbers, so that what is told does not depend on how many run at a time. */
#include "guards/guards.h"

#include "explore/explore.h"

#include <stdlib.h>

enum { EPOCH = 16 }; /* runs after which policies are compared */

struct exploring {
    const struct seek_runs *opts;
    look_fn look;
    void *arg;
    VEC(struct run_done) early; /* ended before their turn */
    uint64_t next, begun, most;
    bool enough;
    struct portfolio hows;
    uint32_t failed[PORTFOLIO_ROWS_MAX], passed[PORTFOLIO_ROWS_MAX]; /* by policy */
    uint32_t all_failed, all_passed;
    VEC(uint32_t) best; /* by epoch: the policy that had more of what was missing, or NONE */
};

/* ---- policies --------------------------------------------------------------------------- */

/* Every other run in turn. The rest is for the policy that was best two epochs before: all its
 * runs have been looked at by then, however many run at a time. */
static uint32_t policy_of(const struct exploring *x, uint64_t run)
{
    uint64_t epoch = run / EPOCH;
    CHECK(epoch < 2 || epoch - 2 < x->best.len); /* so that it does not change behind a run */
    uint32_t best = epoch >= 2 && epoch - 2 < x->best.len ? x->best.at[epoch - 2] : NONE;
    return best == NONE || run % 2 ? (uint32_t)(run / (best == NONE ? 1 : 2) % x->hows.len)
                                   : best;
}

static void compare_policies(struct exploring *x)
{
    const uint32_t *wanted = x->all_failed < x->all_passed ? x->failed : x->passed;
    uint32_t best = 0;
    for (uint32_t i = 1; i < x->hows.len; i++)
        if (wanted[i] > wanted[best])
            best = i;
    vec_push(&x->best, wanted[best] > 0 ? best : NONE);
}

/* ---- runs -------------------------------------------------------------------------------- */

static void note_result(struct exploring *x, const struct run_done *d)
{
    CHECK(d->id == x->next && d->id < x->begun);
    bool good = run_ended_well(&d->result);
    (good ? x->passed : x->failed)[policy_of(x, d->id)] += d->id > 0;
    x->all_failed += !good;
    x->all_passed += good;
}

/* All whose turn it is. */
static int look_in_turn(struct exploring *x, struct err *err)
{
    for (uint32_t i = 0; i < x->early.len && !x->enough;) {
        if (x->early.at[i].id != x->next) {
            i++;
            continue;
        }
        struct run_done d = x->early.at[i];
        x->early.at[i] = x->early.at[--x->early.len];
        note_result(x, &d);
        int failed = x->look(x->arg, &d, &x->enough, err);
        run_done_drop(&d);
        if (failed)
            return -1;
        if (++x->next % EPOCH == 0)
            compare_policies(x);
        if (x->opts->progress)
            x->opts->progress("exploring", x->next);
        i = 0;
    }
    return 0;
}

static int explore(struct exploring *x, struct run_pool *pool, struct err *err)
{
    struct run_opts run = x->opts->run;
    uint64_t seed = run.seed;
    while (!x->enough && !run_signal()) {
        while (x->begun < x->most && x->begun < x->next + EPOCH && !run_pool_is_full(pool)) {
            run.policy = x->begun == 0 ? "fifo" : x->hows.at[policy_of(x, x->begun)].policy;
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

int explore_runs(const struct seek_runs *opts, uint64_t most, look_fn look, void *arg,
                 struct err *err)
{
    struct exploring x = {.opts = opts,
                          .look = look,
                          .arg = arg,
                          .most = most,
                          .hows = portfolio_of(PORTFOLIO_CAUSES)};
    struct run_pool *pool;
    const char *before = getenv("HEDDLE_RECORD");
    if (!before)
        setenv("HEDDLE_RECORD", "calls=1", 1); /* the stacks of what happens */
    int failed = run_pool_open(&pool, opts->argv, &opts->pool, err);
    if (!failed) {
        failed = explore(&x, pool, err);
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
