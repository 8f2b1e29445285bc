/* SPDX-License-Identifier: Apache-2.0
 *
 * beyond: what the paper leaves out. A change may bring a deadlock, lose a wake-up or leave
 * another bug: every pattern is predicted anew on a run of the program after, every witness is
 * followed, and other schedules are run, all of them if there are few. */
#include "verify/judge.h"

#include "confirm/confirm.h"
#include "explore/explore.h"
#include "predict/predict.h"

#include <string.h>
#include <unistd.h>

/* All schedules are run if they are few: as many runs as these events make, within bounds. */
enum { EXHAUST_MIN = 120, EXHAUST_MAX = 450, EXHAUST_EVENTS = 300000 };

/* ---- prediction -------------------------------------------------------------------------- */

struct prediction {
    struct trace trace;
    struct model *m;
    struct predictor *p;
    struct findings found;
};

static void auto_prediction(struct prediction *p)
{
    findings_done(&p->found);
    predictor_free(p->p);
    model_free(p->m);
    trace_close(&p->trace);
}

static int predict_on(struct prediction *out, const char *directory, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&out->trace, path.at, err) < 0)
        return -1;
    out->m = model_build(&out->trace, &(struct model_opts){0}, err);
    enum mode mode = out->trace.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    out->p = out->m ? predictor_new(out->m, mode, err) : NULL;
    if (!out->p)
        return err_in(err, "%s", path.at);
    predict_findings(out->p, &out->found);
    return 0;
}

/* Does a run of the program before predict the same deadlock? */
static bool was_there(const struct findings *before, const char *id)
{
    for (uint32_t i = 0; i < before->list.findings.len; i++)
        if (strcmp(before->list.findings.at[i].id, id) == 0)
            return true;
    return false;
}

/* A finding that a run confirmed, and how that ended. */
static int take_confirmed(struct judge *j, const struct finding *f, const char *directory,
                          const struct findings *before, struct err *err)
{
    struct run_recorded r = {0};
    if (run_recorded_read(&r, directory, err) < 0)
        return -1;
    int result = 0;
    bool is_at_hand = j->has_failing && r.outcome.outcome == j->failed.outcome;
    bool is_old = was_there(before, f->id) && !is_at_hand;
    if (j->is_finding && !is_failure(&r.outcome) && pattern_is(f->pattern, TRAIT_WRONG)) {
        judge_broken(j, &r.outcome, directory, FOUND_PREDICTION, NULL, 0);
        if (j->is_decided) {
            j->out->violation = judge_text(j, "%s", f->message);
            j->out->harm = HARM_NONE;
            j->out->outcome =
                judge_text(j, "%s%s", pattern_text(f->pattern), is_old ? ", as before" : "");
        }
    } else if (is_failure(&r.outcome) && !is_known_failure(j, &r.outcome) && !is_old) {
        result = swan_broken(j, &r.outcome, directory, FOUND_PREDICTION, err);
        if (j->is_decided)
            j->out->violation = judge_text(j, "%s", f->message);
    } else {
        const char *text =
            judge_text(j, "%s%s (%s)", f->message, is_old ? ", as before" : "", f->id);
        vec_push(&j->out->beside,
                 (struct verify_beside){text, judge_text(j, "%s", f->id), f->pattern, is_old});
    }
    run_recorded_done(&r);
    return result;
}

/* Every variant of a witness is a run, in a directory of its own. */
static void count_variants(struct judge *j, const char *store, const char *id)
{
    for (uint32_t i = 1;; i++) {
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/%s-%u", store, id, i);
        if (access(path.at, F_OK) < 0)
            return;
        j->out->runs++;
    }
}

static int follow_one(struct judge *j, struct finding *f, const struct witness_file *w,
                      const char *recorded, const struct run_result *expected,
                      const struct findings *before, struct err *err)
{
    AUTO(str) struct str best = {0}, store = {0};
    str_add(&store, "%s/predicted", j->o->store);
    if (directory_make(store.at, err) < 0)
        return -1;
    struct confirm_opts o = {.argv = j->o->after,
                             .recorded = recorded,
                             .expected = expected,
                             .store = store.at,
                             .run = j->o->run};
    o.run.policy = NULL;
    o.run.server = j->server;
    o.run.in = j->in;
    j->out->predicted++;
    if (confirm(f, w, &o, &j->out->mem, &best, err) < 0)
        return -1;
    count_variants(j, store.at, f->id);
    return f->is_confirmed ? take_confirmed(j, f, best.at, before, err) : 0;
}

/* What an undisturbed run of the program before predicts, to compare with. */
static int predict_before(struct judge *j, struct prediction *out, struct err *err)
{
    AUTO(str) struct str directory = {0};
    str_add(&directory, "%s/before-fresh", j->o->store);
    return predict_on(out, directory.at, err);
}

/* ---- which to follow first --------------------------------------------------------------- */

enum { LAST_READS = 4, LAST_ACCESSES = 8, LINES_MAX = LAST_READS * LAST_ACCESSES };

/* Lines of the program after that the failing run came by just before its end: those of the
 * last accesses to what the failing thread read last. */
struct end_lines {
    uint32_t line[LINES_MAX], count;
};

static void add_line(struct end_lines *out, const struct site_map *sites,
                     const struct trace *after, uint32_t site)
{
    if (sites->to[site] == NONE || out->count == LINES_MAX)
        return;
    uint32_t line = after->sites.at[sites->to[site]].line;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->line[i] == line)
            return;
    out->line[out->count++] = line;
}

static void find_end_lines(struct end_lines *out, struct judge *j, const struct trace *after)
{
    struct err ignored;
    AUTO(model) struct model *m = model_build(&j->before, &(struct model_opts){0}, &ignored);
    struct site_map sites;
    *out = (struct end_lines){0};
    if (!m || m->ev_count == 0)
        return;
    site_map_make(&sites, &j->before, after, j->o);
    thr_id failing = m->ev[m->ev_count - 1].thr;
    uint32_t reads = 0;
    for (ev_id e = m->ev_count; e-- > 0 && reads < LAST_READS;) {
        if (m->ev[e].thr != failing || !model_reads(m, e))
            continue;
        reads++;
        cell_id c = model_cells(m, e).first;
        uint32_t count = 0;
        for (ev_id other = e + 1; other-- > 0 && count < LAST_ACCESSES;) {
            if (ev_acts_on(m->ev[other].kind) != ON_MEMORY || model_cells(m, other).first != c)
                continue;
            add_line(out, &sites, after, model_site(m, other));
            count++;
        }
    }
    site_map_done(&sites);
}

static uint32_t relevance(const struct end_lines *end, const struct finding *f)
{
    uint32_t score = 0;
    for (uint32_t i = 0; i < f->sites.len; i++)
        for (uint32_t k = 0; k < end->count; k++)
            if (f->sites.at[i].line == end->line[k])
                score += LINES_MAX - k; /* the nearer to the end, the more */
    return f->sites.len > 0 ? score / f->sites.len : 0;
}

/* Indices of the findings, the most relevant first. */
static void sort_findings(uint32_t *out, const struct findings *found, struct judge *j,
                          const struct trace *after)
{
    struct end_lines end = {0};
    if (j->has_failing)
        find_end_lines(&end, j, after);
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        uint32_t at = i, mine = relevance(&end, &found->list.findings.at[i]);
        for (; at > 0 && relevance(&end, &found->list.findings.at[out[at - 1]]) < mine; at--)
            out[at] = out[at - 1];
        out[at] = i;
    }
}

static int predict_run(struct judge *j, const char *directory, struct err *err)
{
    __attribute__((cleanup(auto_prediction))) struct prediction after = {0}, before = {0};
    if (predict_on(&after, directory, err) < 0 || predict_before(j, &before, err) < 0)
        return -1;
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(&after.trace, err);
    if (!writer)
        return -1;
    for (uint32_t i = 0; i < after.found.predicted.len; i++) {
        AUTO(witness) struct witness w = {0};
        if (predict(after.p, &after.found.predicted.at[i].query, &w) != ANSWER_YES) {
            CHECK(run_signal());
            return err_set(err, "stopped");
        }
        witness_writer_add(writer, &w, pattern_text(after.found.list.findings.at[i].pattern),
                           j->o->after);
        j->wrongs += pattern_is(after.found.list.findings.at[i].pattern, TRAIT_WRONG);
    }
    int result = witness_writer_finish(writer, err);
    struct run_result expected = {0}; /* exit 0 */
    uint32_t count = after.found.predicted.len;
    uint32_t *order = mem_get((count + 1) * sizeof *order);
    sort_findings(order, &after.found, j, &after.trace);
    for (uint32_t i = 0; result == 0 && !j->is_decided && !run_signal() && i < count; i++)
        result = follow_one(j, &after.found.list.findings.at[order[i]],
                            witness_writer_get(writer, order[i]), directory, &expected,
                            &before.found, err);
    free(order);
    return result;
}

int predict_stage(struct judge *j, struct err *err)
{
    return predict_run(j, j->fresh.at, err);
}

int predict_further(struct judge *j, uint32_t runs, struct err *err)
{
    for (uint32_t i = 0; i < runs && !j->is_decided && !run_signal(); i++) {
        AUTO(str) struct str directory = {0};
        struct run_result r = {0};
        struct run_opts run = j->o->run;
        run.policy = i % 2 ? "random" : "pos";
        run.seed += i + 1;
        run.in = j->in;
        str_add(&directory, "%s/after-further-%u", j->o->store, i);
        run_remove(directory.at);
        if (run_make_directory(directory.at, err) < 0 ||
            run_target(&r, j->o->after, directory.at, &run, err) < 0)
            return -1;
        j->out->runs++;
        j->is_odd |= !run_ended_well(&r);
        bool is_good = run_ended_well(&r);
        run_result_done(&r);
        if (is_good && predict_run(j, directory.at, err) < 0)
            return -1;
    }
    return 0;
}

/* The first one that a run shows counts as the failure of the program before. */
int predict_before_confirmed(struct judge *j, struct err *err)
{
    __attribute__((cleanup(auto_prediction))) struct prediction before = {0};
    AUTO(str) struct str recorded = {0}, store = {0};
    str_add(&recorded, "%s/before-fresh", j->o->store);
    str_add(&store, "%s/before-found", j->o->store);
    if (predict_before(j, &before, err) < 0 || directory_make(store.at, err) < 0)
        return -1;
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(&before.trace, err);
    if (!writer)
        return -1;
    for (uint32_t i = 0; i < before.found.predicted.len; i++) {
        AUTO(witness) struct witness w = {0};
        if (predict(before.p, &before.found.predicted.at[i].query, &w) != ANSWER_YES) {
            CHECK(run_signal());
            return err_set(err, "stopped");
        }
        witness_writer_add(writer, &w, pattern_text(before.found.list.findings.at[i].pattern),
                           j->o->before);
    }
    if (witness_writer_finish(writer, err) < 0)
        return -1;
    for (uint32_t i = 0; i < before.found.predicted.len && !j->is_finding && !run_signal();
         i++) {
        AUTO(str) struct str best = {0};
        struct finding *f = &before.found.list.findings.at[i];
        struct confirm_opts o = {.argv = j->o->before,
                                 .recorded = recorded.at,
                                 .expected = &j->alone,
                                 .store = store.at,
                                 .run = j->o->run};
        o.run.policy = NULL;
        o.run.in = j->in;
        if (!pattern_is(f->pattern, TRAIT_WRONG))
            continue;
        if (confirm(f, witness_writer_get(writer, i), &o, &j->out->mem, &best, err) < 0)
            return -1;
        j->out->searched++;
        if (!f->is_confirmed)
            continue;
        j->is_finding = true;
        j->out->failure = judge_text(j, "%s", f->message);
        j->out->failing = judge_text(j, "%s", best.at);
    }
    return 0;
}

/* ---- other schedules --------------------------------------------------------------------- */

/* One of each kind is enough. */
static void add_known(struct judge *j, const struct run_row *r)
{
    for (uint32_t i = 0; i < j->out->beside.len; i++)
        if (strcmp(j->out->beside.at[i].id, r->kind.at) == 0)
            return;
    const char *text =
        judge_text(j, "%s, as before (heddle replay %s)", r->kind.at, r->directory.at);
    vec_push(&j->out->beside, (struct verify_beside){text, judge_text(j, "%s", r->kind.at),
                                                     PATTERN_FAILURE, true});
}

int take_table(struct judge *j, const struct run_table *table, enum verify_found found_by,
               bool is_fair, struct err *err)
{
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < table->rows.len; i++) {
        const struct run_row *r = &table->rows.at[i];
        if (!is_failure(&r->first) || (!is_fair && is_hanging(&r->first)))
            continue;
        if (is_known_failure(j, &r->first))
            add_known(j, r);
        else if (!j->is_decided)
            result = swan_broken(j, &r->first, r->directory.at, found_by, err);
    }
    return result;
}

struct run_many_opts many_opts(struct judge *j, uint64_t runs)
{
    return (struct run_many_opts){
        .pool = {.jobs = j->o->jobs,
                 .in_place = j->o->in_place,
                 .before_each = j->o->before_each,
                 .store = judge_text(j, "%s/after-runs", j->o->store)},
        .runs = runs,
        /* else failures are known that decide nothing */
        .until_fail = j->kinds.len == 0 && !j->o->apart,
        .keep = 1};
}

static int explore_with(struct judge *j, const struct portfolio_row *how, struct err *err)
{
    struct run_table table = {0};
    struct run_opts run = j->o->run;
    struct run_many_opts many = many_opts(j, how->times * j->o->explore);
    run.policy = how->policy;
    run.spurious = how->spurious;
    run.no_trace = false;
    int result = run_many(&table, j->o->after, &run, &many, err);
    j->out->runs += (uint32_t)table.runs;
    j->out->explored += (uint32_t)table.runs;
    if (result == 0)
        result =
            take_table(j, &table, how->spurious ? FOUND_UNASKED : FOUND_EXPLORATION, true, err);
    run_table_done(&table);
    return result;
}

static uint32_t exhaust_runs(const struct judge *j)
{
    uint64_t events = j->fresh_events + 1, runs = EXHAUST_EVENTS / events;
    return runs < EXHAUST_MIN ? EXHAUST_MIN : runs > EXHAUST_MAX ? EXHAUST_MAX : (uint32_t)runs;
}

static bool has_hung(const struct run_table *table)
{
    for (uint32_t i = 0; i < table->rows.len; i++)
        if (is_hanging(&table->rows.at[i].first))
            return true;
    return false;
}

/* All that --weak can show was run: is that all that the memory model allows? What races may do
 * anything. The order of seq_cst operations is that of their execution, which shows all unless
 * weaker accesses go with them. */
static void judge_weak(struct judge *j, const struct run_table *table,
                       const struct explore_count *count)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < table->weak.len; i++)
        if (table->weak.at[i].why == DOUBT_RACE)
            why = judge_text(j, "%s: %s", table->weak.at[i].detail.at,
                             doubt_sentence(DOUBT_RACE));
    if (!why && count->leaves_out)
        why = "not all weak behaviour of atomics that is allowed was offered";
    if (!why && count->has_sc && count->has_weaker)
        why = "weaker accesses go with seq_cst ones, which can show more than --weak does";
    if (!why)
        return;
    j->out->is_complete = false;
    j->why_not = why;
}

static int exhaust(struct judge *j, struct err *err)
{
    struct run_table table = {0};
    struct explore_count count = {0};
    struct run_opts run = j->o->run;
    struct run_many_opts many = many_opts(j, exhaust_runs(j));
    int result =
        explore_program(&table, &count, j->o->after, &run, &many, EXPLORE_UNBOUNDED, err);
    j->out->runs += (uint32_t)table.runs;
    j->out->explored += (uint32_t)table.runs;
    if (result == 0)
        result = take_table(j, &table, FOUND_EXPLORATION, false, err);
    bool is_weak = j->o->run.weak != WEAK_OFF;
    j->out->is_complete = result == 0 && count.complete && count.lost == 0 &&
                          !has_hung(&table) && !j->is_finding; /* see bounded */
    if (is_weak && j->out->is_complete)
        judge_weak(j, &table, &count);
    run_table_done(&table);
    return result;
}

/* Whether the fresh run used condition variables. What cannot be read has none. */
static bool has_conditions(const struct judge *j)
{
    AUTO(trace) struct trace t = {0};
    struct err ignored;
    if (trace_open_in(&t, j->fresh.at, &ignored) < 0)
        return false;
    AUTO(model) struct model *m = model_build(&t, &(struct model_opts){0}, &ignored);
    for (ev_id e = 0; m && e < m->ev_count; e++)
        if (ev_acts_on(m->ev[e].kind) == ON_COND)
            return true;
    return false;
}

int explore_stage(struct judge *j, struct err *err)
{
    if (j->o->explore == 0)
        return 0;
    if (directory_make(judge_text(j, "%s/after-runs", j->o->store), err) < 0)
        return -1;
    struct portfolio hows = portfolio_of(PORTFOLIO_AFTER);
    for (uint32_t i = 0; i < hows.len && !j->is_decided && !run_signal(); i++)
        if ((!hows.at[i].spurious || has_conditions(j)) &&
            explore_with(j, &hows.at[i], err) < 0)
            return -1;
    /* A live client does not repeat itself. */
    if (!j->is_decided && !run_signal() && !j->o->run.client)
        return exhaust(j, err);
    return 0;
}
