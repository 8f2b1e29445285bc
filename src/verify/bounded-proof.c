/* SPDX-License-Identifier: Apache-2.0
 *
 * bounded-proof: a change that restructures leaves nothing of the failing run to compare with.
 * Then the program after has to speak for itself: nothing is predicted in several runs of it,
 * and all of its schedules with few preemptions pass. That says something about the failure at
 * hand only if so few preemptions bring it about in the program before: the same exploration
 * has to find it there. */
#include "verify/judge.h"

#include "explore/explore.h"

enum { BOUND_MIN = 2, BOUND_MAX = 3, FURTHER_RUNS = 3 };

/* Something that would otherwise stay open, and that such a proof is good for. */
static bool is_needed(const struct judge *j)
{
    const struct verify_verdict *v = j->out;
    bool is_open = j->has_failing && (v->suspicious == 0 || v->left > 0) && !v->is_complete;
    return j->o->bounded > 0 && j->o->explore > 0 && !j->o->run.client && !j->is_odd &&
           (is_open || j->is_finding);
}

/* Bugs beside the failure at hand that the change brought. */
static bool brings_wrong(const struct judge *j)
{
    for (uint32_t i = 0; i < j->out->beside.len; i++)
        if (!j->out->beside.at[i].is_old &&
            pattern_is(j->out->beside.at[i].pattern, TRAIT_WRONG))
            return true;
    return false;
}

/* How many preemptions the failure of the program before needs; NONE: it is not found. */
static int bound_before(struct judge *j, uint32_t *out, struct err *err)
{
    struct run_table table = {0};
    struct explore_count count = {0};
    struct run_opts run = j->o->run;
    struct run_many_opts many = many_opts(j, j->o->bounded);
    many.until_fail = !j->is_finding;
    many.keep = 0;
    if (j->is_finding)
        many.runs = many.runs < 100 ? many.runs : 100;
    int result = explore_program(&table, &count, j->o->before, &run, &many, BOUND_MAX, err);
    j->out->searched += (uint32_t)table.runs;
    bool is_found = j->is_finding && count.races > 0;
    for (uint32_t i = 0; i < table.rows.len && !j->is_finding; i++)
        is_found |= is_failure(&table.rows.at[i].first) &&
                    !is_known_failure(j, &table.rows.at[i].first);
    run_table_done(&table);
    *out = !is_found ? NONE : count.has_bound && !j->is_finding ? count.bound + 1 : 0;
    return result;
}

static bool all_judged(struct judge *j, const struct run_table *table)
{
    for (uint32_t i = 0; i < table->rows.len; i++)
        if (!run_ended_well(&table->rows.at[i].first) &&
            !is_known_failure(j, &table->rows.at[i].first))
            return false;
    return true;
}

static int run_bounded(struct judge *j, uint32_t bound, struct err *err)
{
    struct run_table table = {0};
    struct explore_count count = {0};
    struct run_opts run = j->o->run;
    struct run_many_opts many = many_opts(j, j->o->bounded);
    struct verify_verdict *v = j->out;
    int result = explore_program(&table, &count, j->o->after, &run, &many, (int)bound, err);
    v->runs += (uint32_t)table.runs;
    v->explored += (uint32_t)table.runs;
    if (result == 0)
        result = take_table(j, &table, FOUND_EXPLORATION, false, err);
    bool is_whole = count.complete || (count.has_bound && count.bound >= bound);
    if (result < 0 || j->is_decided)
        ;
    else if (!all_judged(j, &table))
        j->why_not = "some schedules of the program after could not be judged";
    else if (!is_whole) {
        v->is_cut = true;
        j->why_not =
            judge_text(j, "its schedules with up to %u preemptions are more than %u runs show",
                       bound, j->o->bounded);
    } else if (j->is_finding && count.races > 0)
        j->why_not = "threads still access the same memory, and nothing orders them";
    else {
        v->has_bound = !count.complete;
        v->is_complete |= count.complete;
        v->bound = bound;
        v->bound_runs = (uint32_t)count.bound_runs;
    }
    run_table_done(&table);
    return result;
}

int bounded_stage(struct judge *j, struct err *err)
{
    uint32_t need = 0;
    if (!is_needed(j))
        return 0;
    if (predict_further(j, FURTHER_RUNS, err) < 0)
        return -1;
    if (j->is_decided || run_signal())
        return 0;
    if (j->is_finding ? j->wrongs > 0 : brings_wrong(j)) {
        j->why_not =
            "something is predicted in the program after that no run showed or excluded";
        return 0;
    }
    if (bound_before(j, &need, err) < 0)
        return -1;
    if (need > BOUND_MAX) {
        j->why_not = "the program before shows its failure in no schedule with few preemptions";
        return 0;
    }
    return run_bounded(j, need < BOUND_MIN ? BOUND_MIN : need, err);
}

bool bounded_proves(const struct judge *j)
{
    return j->out->has_bound && !j->is_odd && !j->is_decided;
}
