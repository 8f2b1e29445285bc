/* SPDX-License-Identifier: Apache-2.0
 *
 * prove-runs: what verify cannot say by the accesses of a failing run is looked for in runs of
 * the rebuilt program. A finding that no run fails by has no failing schedule: its patch is
 * believed when it is no longer predicted, and the runs end as before. A deadlock has locks and
 * no accesses: its patch is believed when no locks are taken in a circle any more, whether or
 * not the run got stuck. */
#include "fix/recipe.h"

#include "predict/predict.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS = 8 }; /* runs, with as many schedules */

static bool has_finding(const struct findings *found, const char *id)
{
    for (uint32_t i = 0; i < found->list.findings.len; i++)
        if (strcmp(found->list.findings.at[i].id, id) == 0)
            return true;
    return false;
}

/* 1: it is predicted in this run. */
static int is_predicted(const char *directory, const char *id, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    struct findings found = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&t, path.at, err) < 0)
        return -1;
    AUTO(model) struct model *m = model_build(&t, &(struct model_opts){0}, err);
    enum mode mode = t.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    struct predictor *p = m ? predictor_new(m, mode, err) : NULL;
    if (!p)
        return err_in(err, "%s", path.at);
    predict_findings(p, &found);
    int is_there = has_finding(&found, id);
    findings_done(&found);
    predictor_free(p);
    return is_there;
}

struct look {
    struct fix_repair *r;
    struct fix_candidate *c;
    const struct fix_repair_opts *opts;
    struct run_opts run;
    struct run_world *in; /* or NULL */
    struct str directory, kind;
    argv_list argv; /* of the rebuilt program */
    bool is_deadlock;
    bool is_calm;  /* none failed by it: those of the patched program end as before */
    bool is_apart; /* the last run ended in a failure that is another finding's */
};

static int look_once(struct look *l, char *const *argv, uint32_t number, struct err *err)
{
    struct run_result result = {0};
    l->run.policy = number == 0 ? "fifo" : number % 2 ? "pos" : "random";
    l->run.seed = number;
    run_clear(l->directory.at);
    if (run_target(&result, argv, l->directory.at, &l->run, err) < 0)
        return -1;
    l->kind.len = 0;
    run_kind(&l->kind, &result);
    l->is_apart = run_failed(&result) && harm_in(l->opts->apart, harm_of(result.outcome));
    run_result_done(&result);
    return 0;
}

/* 1: what was looked for is there. */
static int look_into(struct look *l, struct err *err)
{
    int is_there = l->is_deadlock ? causes_circle(l->directory.at, err)
                                  : is_predicted(l->directory.at, l->opts->finding, err);
    for (uint32_t i = 0; i < l->opts->other_count && !is_there && !l->is_deadlock; i++)
        is_there = is_predicted(l->directory.at, l->opts->others[i], err);
    if (is_there > 0)
        candidate_say(l->r, l->c, "%s: heddle replay %s",
                      l->is_deadlock ? "locks are still taken in a circle, or not given back"
                                     : "it is still predicted",
                      l->directory.at);
    return is_there;
}

static int look_all(struct look *l, struct err *err)
{
    AUTO(str) struct str before = {0};
    if (look_once(l, l->opts->argv, 0, err) < 0)
        return -1;
    str_add(&before, "%s", l->kind.at);
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (look_once(l, l->argv.at, i, err) < 0)
            return -1;
        if (strcmp(before.at, l->kind.at) != 0 && l->is_calm && !l->is_apart) {
            candidate_say(l->r, l->c, "a run ends in %s, and in %s before the patch",
                          l->kind.at, before.at);
            return 1;
        }
        int is_there = look_into(l, err);
        if (is_there != 0)
            return is_there;
    }
    if (l->is_deadlock)
        candidate_say(l->r, l->c,
                      "no locks are taken in a circle, and all are given back, in %d runs",
                      LOOKS);
    else if (!l->is_calm)
        candidate_say(l->r, l->c, "%s is no longer predicted in %d runs", l->opts->finding,
                      LOOKS);
    else
        candidate_say(l->r, l->c,
                      "no run fails%s, before or after: the proof is that %s is no longer "
                      "predicted in %d runs, and that all end in %s as before%s",
                      l->opts->apart ? " by it" : "", l->opts->finding, LOOKS, before.at,
                      l->opts->apart ? ", or in what other findings tell" : "");
    for (uint32_t i = 0; i < l->opts->other_count && !l->is_deadlock; i++)
        candidate_say(l->r, l->c, "nor is %s predicted in any of them", l->opts->others[i]);
    return 0;
}

static int look(struct look *l, struct err *err)
{
    candidate_argv(&l->argv, l->c, l->opts);
    str_add(&l->directory, "%s/fix/%u/looks", l->opts->home, l->c->round);
    int result = run_make_directory(l->directory.at, err);
    if (!result && !l->opts->pool.in_place)
        result = run_world_open(&l->in, ".", err);
    if (!result) {
        l->run.in = l->in;
        result = look_all(l, err);
    }
    run_world_close(l->in);
    str_done(&l->directory);
    str_done(&l->kind);
    vec_done(&l->argv);
    return result;
}

int finding_is_gone(struct fix_repair *r, struct fix_candidate *c,
                    const struct fix_repair_opts *opts, bool is_calm, struct err *err)
{
    struct look l = {.r = r, .c = c, .opts = opts, .run = opts->run, .is_calm = is_calm};
    return look(&l, err);
}

int circles_are_gone(struct fix_repair *r, struct fix_candidate *c,
                     const struct fix_repair_opts *opts, struct err *err)
{
    struct look l = {.r = r, .c = c, .opts = opts, .run = opts->run, .is_deadlock = true};
    return look(&l, err);
}
