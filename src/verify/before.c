/* SPDX-License-Identifier: Apache-2.0
 *
 * before: a failing run of the program before. The user has one, or a few hundred other
 * schedules show one; where none does, the predictions of an undisturbed run are followed. */
#include "verify/judge.h"

#include "confirm/confirm.h"
#include "explore/explore.h"
#include "predict/predict.h"

#include <string.h>
#include <time.h>

enum {
    SEARCH_DEFAULT = 200,
    FAILING_MAX = 16,
    OTHERS_RUNS = 30,
    HANGS_MAX = 2,
    ALWAYS_RUNS = 20
};
/* Seconds; and how much longer than the undisturbed one a run may take besides. */
enum { LIMIT_MIN_S = 10, LIMIT_MAX_S = 60, LIMIT_FACTOR = 50 };

int before_take(struct judge *j, const char *directory, struct err *err)
{
    struct run_recorded r = {0};
    if (run_recorded_read(&r, directory, err) < 0)
        return -1;
    trace_close(&j->before);
    j->before = (struct trace){0};
    j->failing.len = j->failed.text.len = j->kind.len = 0;
    str_add(&j->failing, "%s", directory);
    j->failed.outcome = r.outcome.outcome;
    j->failed.code = r.outcome.code;
    str_add(&j->failed.text, "%s", r.outcome.text.at ? r.outcome.text.at : "");
    run_kind(&j->kind, &r.outcome);
    j->has_failing = true;
    j->out->failure = judge_text(j, "%s", j->kind.at);
    j->out->failing = judge_text(j, "%s", directory);
    run_recorded_done(&r);
    return trace_open_in(&j->before, directory, err);
}

/* ---- undisturbed ------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Runs that hang cost their whole time, and record all of it: who is used to short runs need
 * not wait a minute for them. What the user says counts. */
static void limit_time(struct judge *j, double took)
{
    double limit = LIMIT_MIN_S + LIMIT_FACTOR * took;
    if (is_hanging(&j->alone))
        limit = LIMIT_MIN_S;
    if (j->own.run.timeout_s == 0 && limit < LIMIT_MAX_S)
        j->own.run.timeout_s = (uint32_t)limit;
}

/* Runs the program before once, undisturbed, if that was not done: STORE/before-fresh. */
static int before_alone(struct judge *j, struct err *err)
{
    AUTO(str) struct str directory = {0};
    struct run_opts run = j->o->run;
    double start = now_s();
    run.in = j->in;
    if (j->has_alone)
        return 0;
    str_add(&directory, "%s/before-fresh", j->o->store);
    run_remove(directory.at);
    if (run_make_directory(directory.at, err) < 0 ||
        run_target(&j->alone, j->o->before, directory.at, &run, err) < 0)
        return -1;
    j->has_alone = true;
    j->out->searched++;
    limit_time(j, now_s() - start);
    return 0;
}

static bool is_stuck(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, DEADLOCK) ||
           r->outcome == WORD_VALUE(OUTCOME, LIVELOCK) || is_hanging(r);
}

/* ---- given ------------------------------------------------------------------------------- */

static int take_given(struct judge *j, struct err *err)
{
    struct run_recorded r = {0};
    if (run_recorded_read(&r, j->o->schedule, err) < 0)
        return -1;
    bool failed = r.has_outcome && is_failure(&r.outcome);
    run_recorded_done(&r);
    if (!failed)
        return err_set(err, "%s did not fail: verify needs a failing run of the program before",
                       j->o->schedule);
    return before_take(j, j->o->schedule, err);
}

/* ---- searched ---------------------------------------------------------------------------- */

/* At most so many runs, up to the first that fails; others: only what kinds there are. */
static int search_some(struct judge *j, const char *policy, uint32_t runs, bool others,
                       uint32_t *made, struct err *err)
{
    struct run_table table = {0};
    struct run_opts run = j->o->run;
    run.policy = policy;
    run.seed += j->out->searched;
    AUTO(str) struct str store = {0};
    str_add(&store, "%s/before-runs", j->o->store);
    if (directory_make(store.at, err) < 0)
        return -1;
    struct run_many_opts many = {.pool = {.jobs = j->o->jobs,
                                          .in_place = j->o->in_place,
                                          .before_each = j->o->before_each,
                                          .store = store.at},
                                 .runs = runs,
                                 .until_fail = !others && !j->o->apart,
                                 .keep = 1};
    int result = run_many(&table, j->o->before, &run, &many, err);
    j->out->searched += (uint32_t)table.runs;
    *made = (uint32_t)table.runs;
    for (uint32_t i = 0; result == 0 && i < table.rows.len; i++) {
        const struct run_row *r = &table.rows.at[i];
        if (!is_failure(&r->first) || is_apart(j, &r->first))
            continue;
        bool is_hang = is_hanging(&r->first);
        if (is_hang) { /* costs its whole time, and its trace is long: others are better */
            j->hangs++;
            j->hang = judge_text(j, "%s", r->directory.at);
        }
        if (is_hang && !others)
            continue;
        if (!others)
            vec_push(&j->found, (struct failing){judge_text(j, "%s", r->directory.at),
                                                 judge_text(j, "%s", r->kind.at), 0});
        else if (strcmp(failure_name(j, &r->first), failure_name(j, &j->failed)) != 0)
            vec_push(&j->kinds, failure_name(j, &r->first));
    }
    run_table_done(&table);
    return result;
}

static int search_with(struct judge *j, const char *policy, uint32_t runs, struct err *err)
{
    uint32_t made = 0, n;
    for (; made < runs && j->found.len < FAILING_MAX && j->hangs < HANGS_MAX && !run_signal();
         made += n)
        if (search_some(j, policy, runs - made, false, &n, err) < 0)
            return -1;
    return 0;
}

/* ---- predicted --------------------------------------------------------------------------- */

static int follow_one(struct judge *j, const struct witness_file *w, const char *recorded,
                      const struct run_result *expected, const char *id, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    AUTO(str) struct str best = {0}, store = {0};
    struct finding f = finding_new(PATTERN_FAILURE);
    f.id = id;
    str_add(&store, "%s/before", j->o->store);
    if (directory_make(store.at, err) < 0)
        return -1;
    struct confirm_opts o = {.argv = j->o->before,
                             .recorded = recorded,
                             .expected = expected,
                             .store = store.at,
                             .run = j->o->run};
    o.run.policy = NULL;
    o.run.in = j->in;
    if (confirm(&f, w, &o, &mem, &best, err) < 0)
        return -1;
    j->out->searched++;
    if (!f.is_confirmed || !harm_ends(f.harm) || harm_in(j->o->apart, f.harm))
        return 0;
    vec_push(&j->found, (struct failing){judge_text(j, "%s", best.at), "", 0});
    return 0;
}

/* Follows what an undisturbed run predicts until something fails. */
static int search_predicted(struct judge *j, struct err *err)
{
    AUTO(str) struct str directory = {0};
    AUTO(trace) struct trace t = {0};
    str_add(&directory, "%s/before-fresh", j->o->store);
    int result = trace_open_in(&t, directory.at, err);
    AUTO(model) struct model *m = result ? NULL : model_build(&t, &(struct model_opts){0}, err);
    enum mode mode = t.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    AUTO(predictor) struct predictor *p = m ? predictor_new(m, mode, err) : NULL;
    AUTO(findings) struct findings found = {0};
    AUTO(witness_writer) struct witness_writer *writer = p ? witness_writer_new(&t, err) : NULL;
    if (!writer)
        return -1;
    predict_findings(p, &found);
    for (uint32_t i = 0; i < found.predicted.len; i++) {
        AUTO(witness) struct witness w = {0};
        if (predict(p, &found.predicted.at[i].query, &w) == ANSWER_YES)
            witness_writer_add(writer, &w, pattern_text(found.list.findings.at[i].pattern),
                               j->o->before);
    }
    result = witness_writer_finish(writer, err);
    for (uint32_t i = 0; result == 0 && j->found.len == 0 && i < found.predicted.len; i++)
        result = follow_one(j, witness_writer_get(writer, i), directory.at, &j->alone,
                            found.list.findings.at[i].id, err);
    return result;
}

int before_fails_always(struct judge *j, const struct run_result *like, struct err *err)
{
    struct run_table table = {0};
    struct run_opts run = j->o->run;
    const char *name = failure_name(j, like);
    if (is_stuck(like) || !is_failure(&j->alone) ||
        strcmp(failure_name(j, &j->alone), name) != 0)
        return 0;
    run.policy = "random";
    run.no_trace = true;
    struct run_many_opts many = {.pool = {.jobs = j->o->jobs,
                                          .in_place = j->o->in_place,
                                          .before_each = j->o->before_each},
                                 .runs = ALWAYS_RUNS};
    int result = run_many(&table, j->o->before, &run, &many, err);
    j->out->searched += (uint32_t)table.runs;
    bool is_always = result == 0 && table.rows.len == 1 &&
                     is_failure(&table.rows.at[0].first) &&
                     strcmp(failure_name(j, &table.rows.at[0].first), name) == 0;
    run_table_done(&table);
    return result < 0 ? -1 : is_always;
}

int before_find(struct judge *j, struct err *err)
{
    uint32_t runs = j->o->search ? j->o->search : SEARCH_DEFAULT, made;
    struct portfolio hows = portfolio_of(PORTFOLIO_BEFORE);
    if (before_alone(j, err) < 0)
        return -1;
    if (j->o->schedule) {
        if (take_given(j, err) < 0)
            return -1;
        return search_some(j, hows.at[0].policy, OTHERS_RUNS, true, &made, err);
    }
    if (search_with(j, hows.at[0].policy, runs / hows.len, err) < 0)
        return -1;
    if (j->found.len == 0 && !j->hang && !run_signal() && search_predicted(j, err) < 0)
        return -1;
    for (uint32_t i = 1; i < hows.len && j->found.len == 0; i++)
        if (search_with(j, hows.at[i].policy, runs / hows.len, err) < 0)
            return -1;
    if (j->found.len == 0 && j->hang)
        vec_push(&j->found, (struct failing){j->hang, "", 0});
    return j->found.len > 0 ? before_take(j, j->found.at[0].directory, err) : 0;
}
