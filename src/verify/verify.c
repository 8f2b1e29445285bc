/* SPDX-License-Identifier: Apache-2.0
 *
 * verify: the stages in their order, and the verdict that follows from them. */
#include "verify/judge.h"

#include "base/json.h"
#include "base/log.h"
#include "base/stop.h"

#include <stdarg.h>
#include <string.h>

enum { FOLLOWED_MAX = 2 }; /* failing schedules */

const char *verify_word_text(enum verify_word word)
{
    static const char *const words[] = {"fixed", "broken", "unknown"};
    return words[word];
}

const char *verify_found_text(enum verify_found found)
{
    static const char *const words[] = {[FOUND_NOT] = "",
                                        [FOUND_UNDISTURBED] = "an undisturbed run",
                                        [FOUND_SCHEDULE] = "the failing schedule",
                                        [FOUND_SUSPICIOUS] = "a suspicious violation",
                                        [FOUND_PREDICTION] = "prediction",
                                        [FOUND_EXPLORATION] = "exploration",
                                        [FOUND_UNASKED] = "exploration with spurious wake-ups"};
    return words[found];
}

const char *judge_text(struct judge *j, const char *format, ...)
{
    char buf[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof buf ? (size_t)len : sizeof buf - 1;
    return arena_text(&j->out->mem, buf, kept);
}

__attribute__((format(printf, 2, 3))) static void judge_note(struct judge *j,
                                                             const char *format, ...)
{
    char buf[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    for (uint32_t i = 0; i < j->out->notes.len; i++)
        if (strcmp(j->out->notes.at[i], buf) == 0)
            return;
    vec_push(&j->out->notes, judge_text(j, "%s", buf));
}

/* ---- the first runs of the program after ------------------------------------------------- */

/* A run that says more about itself than about the program leaves everything open. */
static void note_odd(struct judge *j, const struct run_result *r)
{
    AUTO(str) struct str kind = {0};
    if (run_ended_well(r) || is_failure(r))
        return;
    run_kind(&kind, r);
    j->out->left++;
    j->is_odd = true;
    vec_push(&j->out->lefts,
             (struct verify_item){
                 "a run of the program after",
                 judge_text(j, "ended as %s: %s", kind.at, r->text.at ? r->text.at : ""), 1});
}

/* What an undisturbed run came by. */
static int open_fresh(struct judge *j, struct err *err)
{
    struct names walked = {0}; /* the trace's tables are full once it was walked */
    if (trace_open_in(&j->fresh_trace, j->fresh.at, err) < 0 ||
        names_make(&walked, &j->fresh_trace, NULL, err) < 0)
        return -1;
    j->fresh_events = walked.count;
    names_done(&walked);
    j->reach = reachable_open(j->o->after[0], &j->fresh_trace);
    return 0;
}

static int run_fresh(struct judge *j, struct err *err)
{
    struct trial t;
    if (trial_run(j, NULL, NULL, &t, err) < 0)
        return -1;
    str_add(&j->fresh, "%s", t.directory.at);
    const struct run_result *r = &t.run.result;
    j->has_passed = run_ended_well(r);
    int result = open_fresh(j, err), always = 0;
    if (result == 0 && is_failure(r)) {
        always = before_fails_always(j, r, err);
        j->is_outside = always > 0;
        result = always < 0 ? -1 : 0;
    }
    if (result == 0 && !j->is_outside && is_failure(r) && !is_known_failure(j, r))
        result = swan_broken(j, r, t.directory.at, FOUND_UNDISTURBED, err);
    note_odd(j, r);
    trial_done(&t);
    return result;
}

/* The failing schedule's own witness, in terms of the program after. 1: nothing of it is left
 * there. */
int map_schedule(struct judge *j, struct witness_file **out, struct witness_writer **writer,
                 struct err *err)
{
    struct site_map sites;
    if (witness_of_run(writer, &j->before, NULL, 0, "schedule", j->o->after, err) < 0)
        return -1;
    struct witness_file *w = witness_writer_get(*writer, 0);
    site_map_make(&sites, &j->before, &j->fresh_trace, j->o);
    uint32_t all = w->lines.len, lost = witness_map(w, &sites, &j->before, &j->fresh_trace);
    site_map_done(&sites);
    if (2 * lost > all)
        judge_note(j,
                   "the change moved much code: %u of %u steps of the failing schedule have "
                   "no place in the program after; fresh runs are used instead",
                   lost, all);
    *out = w;
    return w->lines.len == 0;
}

/* The failing run at hand, as far as it goes. */
static int follow_one(struct judge *j, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = NULL;
    struct witness_file *w = NULL;
    struct run_greedy greedy = reachable_greedy(j->reach);
    struct trial t;
    int mapped = map_schedule(j, &w, &writer, err);
    if (mapped != 0)
        return mapped < 0 ? -1 : 0;
    if (trial_run(j, w, &greedy, &t, err) < 0)
        return -1;
    const struct run_result *r = &t.run.result;
    if (run_ended_well(r) || is_failure(r)) {
        j->followed.len = 0;
        str_add(&j->followed, "%s", t.directory.at);
    }
    int result = 0;
    if (is_failure(r) && !is_known_failure(j, r))
        result = swan_broken(j, r, t.directory.at, FOUND_SCHEDULE, err);
    note_odd(j, r);
    trial_done(&t);
    return result;
}

/* The most promising first; the last one that is followed stays at hand. */
static int follow_failing(struct judge *j, struct err *err)
{
    if (failing_choose(j, err) < 0 || follow_one(j, err) < 0)
        return -1;
    for (uint32_t i = 1; i < j->found.len && i < FOLLOWED_MAX && !j->is_decided; i++)
        if (before_take(j, j->found.at[i].directory, err) < 0 || follow_one(j, err) < 0)
            return -1;
    return 0;
}

/* ---- the verdict ------------------------------------------------------------------------- */

static void decide(struct judge *j)
{
    struct verify_verdict *v = j->out;
    if (j->is_decided) {
        v->reason =
            judge_text(j, "%s shows it: %s", verify_found_text(v->found_by), v->outcome);
        return;
    }
    v->word = VERIFY_UNKNOWN;
    if (run_signal())
        v->reason = "stopped early";
    else if (j->is_outside)
        v->reason = judge_text(j,
                               "both programs fail whatever the schedule (%s): that says "
                               "nothing about the change",
                               j->kind.at);
    else if (!j->has_failing && !j->is_finding)
        v->reason = "no run of the program before failed: there is nothing to compare with";
    else if (j->o->run.weak != WEAK_OFF && !v->is_complete)
        v->reason =
            judge_text(j, "%u runs with weak behaviour of atomics pass, which %s", v->explored,
                       *j->why_not ? "do not prove it" : "are not all that there are");
    else if (bounded_proves(j)) {
        v->word = VERIFY_FIXED;
        v->reason = judge_text(j, "all %u schedules with up to %u preemptions pass",
                               v->bound_runs, v->bound);
    } else if (j->is_finding && !v->is_complete)
        v->reason = *j->why_not ? j->why_not : "other schedules were not explored";
    else if (v->suspicious == 0 && !v->is_complete)
        v->reason = "nothing that the failing run did could be found in the program after";
    else if (v->left > 0 && !v->is_complete)
        v->reason = judge_text(j, "%u suspicious violations could be neither excluded nor run",
                               v->left);
    else {
        v->word = VERIFY_FIXED;
        v->reason = v->is_complete && j->o->run.weak != WEAK_OFF
                        ? "all runs of the program after that the memory model allows were "
                          "made, and none fails anew"
                    : v->is_complete && (j->kinds.len > 0 || j->o->apart)
                        ? "all schedules of the program after were run, and none fails anew"
                    : v->is_complete
                        ? "all schedules of the program after were run, and passed"
                        : "every suspicious violation is excluded, has passed or cannot happen";
    }
}

/* `fixed` has to be earned: all that is suspicious is decided, or all schedules were run. */
static void verdict_check(const struct judge *j)
{
    const struct verify_verdict *v = j->out;
    uint32_t decided = v->excluded + v->passed + v->unreachable;
    CHECK(j->is_decided == (v->word == VERIFY_BROKEN));
    CHECK(j->is_decided == (v->found_by != FOUND_NOT));
    CHECK(j->is_decided == (*v->run != 0));
    CHECK(decided <= v->suspicious);
    CHECK(v->word != VERIFY_FIXED || j->has_failing || j->is_finding);
    CHECK(v->word != VERIFY_FIXED || v->is_complete || v->has_bound ||
          (v->left == 0 && decided == v->suspicious && !j->is_odd));
}

/* No run fails by it, and none can be relied on. */
static void doubt_misuse(struct judge *j)
{
    if (j->out->word != VERIFY_FIXED || !j->misuse)
        return;
    j->out->word = VERIFY_UNKNOWN;
    j->out->reason = j->misuse;
}

/* Why exploration did not help, behind what is left open. */
static void tell_why_not(struct judge *j)
{
    struct verify_verdict *v = j->out;
    if (v->word == VERIFY_UNKNOWN && *j->why_not && v->reason != j->why_not)
        v->reason = judge_text(j, "%s; %s", v->reason, j->why_not);
}

/* Prediction takes turns and knows nothing of stale reads: there is no more than to run the
 * program after, with weak behaviour. */
static int weak_stages(struct judge *j, struct err *err)
{
    progress_begin("exploring");
    return j->is_decided || !j->has_failing || run_signal() ? 0 : explore_stage(j, err);
}

static int stages(struct judge *j, struct err *err)
{
    progress_begin("looking for a failing run");
    if (before_find(j, err) < 0)
        return err_in(err, "before");
    if (!j->has_failing && j->o->takes_findings && !run_signal() &&
        predict_before_confirmed(j, err) < 0)
        return err_in(err, "before");
    progress_begin("running the program after");
    if (run_fresh(j, err) < 0)
        return err_in(err, "after");
    if (j->is_outside)
        return 0;
    if (j->o->run.weak != WEAK_OFF)
        return weak_stages(j, err);
    if (!j->is_decided && j->has_failing && follow_failing(j, err) < 0)
        return -1;
    progress_begin("trying what the added locks should exclude");
    if (!j->is_decided && j->has_failing && !run_signal() && unenforced_run(j, err) < 0)
        return -1;
    if (!j->is_decided && j->unenforced.len > 0 && swan_unenforced_stage(j, err) < 0)
        return -1;
    progress_begin("predicting anew");
    if (!j->is_decided && !run_signal() && !j->o->only_suspicious && predict_stage(j, err) < 0)
        return -1;
    progress_begin("trying suspicious violations");
    if (!j->is_decided && j->has_failing && swan_stage(j, err) < 0)
        return -1;
    if (j->o->only_suspicious)
        return 0;
    progress_begin("exploring");
    if (!j->is_decided && !run_signal() && explore_stage(j, err) < 0)
        return -1;
    progress_begin("running all schedules with few preemptions");
    if (!j->is_decided && !run_signal() && bounded_stage(j, err) < 0)
        return -1;
    if (!j->is_decided && !run_signal() && misuse_stage(j, err) < 0)
        return -1;
    return j->is_decided || run_signal() ? 0 : cost_stage(j, err);
}

static int open_after(struct judge *j, struct err *err)
{
    if (!j->o->in_place && run_world_open(&j->in, ".", err) < 0)
        return -1;
    return run_server_open(&j->server, j->o->after, false, err);
}

int verify_judge(const struct verify_opts *opts, struct verify_verdict *out, struct err *err)
{
    struct judge j = {.own = *opts, .out = out, .why_not = ""};
    j.o = &j.own;
    *out = (struct verify_verdict){.word = VERIFY_UNKNOWN};
    out->reason = out->failure = out->failing = out->outcome = "";
    out->details = out->waits = "";
    out->violation = out->missing = out->run = out->witness = out->replay = "";
    int result = open_after(&j, err);
    if (result == 0)
        result = stages(&j, err);
    progress_end();
    if (result < 0 && run_signal())
        result = 0; /* what was cut short is no failure */
    if (result == 0) {
        decide(&j);
        doubt_misuse(&j);
        tell_why_not(&j);
        verdict_check(&j);
    }
    if (j.server)
        run_server_close(j.server);
    run_world_close(j.in);
    reachable_close(j.reach);
    trace_close(&j.fresh_trace);
    trace_close(&j.before);
    run_result_done(&j.failed);
    run_result_done(&j.alone);
    str_done(&j.failing);
    str_done(&j.kind);
    str_done(&j.fresh);
    str_done(&j.followed);
    str_done(&j.unenforced);
    map_done(&j.judged);
    vec_done(&j.pending);
    vec_done(&j.kinds);
    vec_done(&j.found);
    return result;
}

void verify_verdict_done(struct verify_verdict *v)
{
    vec_done(&v->steps);
    vec_done(&v->proofs);
    vec_done(&v->unreached);
    vec_done(&v->lefts);
    vec_done(&v->notes);
    vec_done(&v->beside);
    arena_done(&v->mem);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_item(struct json *j, const struct verify_item *item)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"what", item->what}, {"why", item->why});
    json_put_u64(j, "count", item->count);
    json_close(j, '}');
}

void verify_put_cost(struct json *j, const char *key, const struct verify_cost *c)
{
    json_put_open(j, key, '{');
    JSON_U64S(j, {"events", c->events}, {"sections", c->sections},
              {"in_sections", c->steps_in_sections}, {"longest", c->longest},
              {"contended", c->contended}, {"overlaps", c->overlaps}, {"time_us", c->time_us});
    json_close(j, '}');
}

static void put_account(struct json *j, const struct verify_verdict *v)
{
    json_put_open(j, "account", '{');
    JSON_U64S(j, {"suspicious", v->suspicious}, {"alike", v->alike}, {"excluded", v->excluded},
              {"passed", v->passed}, {"unreachable", v->unreachable}, {"left", v->left},
              {"schedules", v->schedules}, {"runs", v->runs}, {"searched", v->searched},
              {"predicted", v->predicted}, {"explored", v->explored});
    json_put_bool(j, "all_schedules", v->is_complete);
    json_close(j, '}');
    if (!v->has_bound)
        return;
    json_put_open(j, "bound", '{');
    json_put_u64(j, "preemptions", v->bound);
    json_put_u64(j, "schedules", v->bound_runs);
    json_put_bool(j, "complete", true);
    json_close(j, '}');
}

bool verify_adds_bug(const struct verify_verdict *v)
{
    for (uint32_t i = 0; i < v->beside.len; i++)
        if (!v->beside.at[i].is_old && (pattern_is(v->beside.at[i].pattern, TRAIT_GRAVE) ||
                                        v->beside.at[i].pattern == PATTERN_MISUSE))
            return true;
    return false;
}

void verify_print(const struct verify_verdict *v, struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_put_text(&j, "verdict", verify_word_text(v->word));
    json_put_text(&j, "reason", v->reason);
    if (stop_signal()) {
        json_put_bool(&j, "stopped_early", true);
    }
    JSON_TEXTS(&j, {"failure", v->failure}, {"failing_run", v->failing},
               {"outcome", v->outcome}, {"details", v->details},
               {"found_by", verify_found_text(v->found_by)}, {"violation", v->violation},
               {"missing", v->missing}, {"run", v->run}, {"witness", v->witness},
               {"replay", v->replay});
    put_account(&j, v);
    JSON_EACH(&j, "excluded", &v->proofs, put_item);
    JSON_EACH(&j, "unreachable", &v->unreached, put_item);
    JSON_EACH(&j, "left", &v->lefts, put_item);
    json_put_texts(&j, "notes", v->notes.at, v->notes.len);
    json_put_open(&j, "beside", '[');
    for (uint32_t i = 0; i < v->beside.len; i++)
        json_text(&j, text_of(v->beside.at[i].text));
    json_close(&j, ']');
    verify_put_cost(&j, "cost_before", &v->cost_before);
    verify_put_cost(&j, "cost_after", &v->cost_after);
    json_close(&j, '}');
    str_char(out, '\n');
}
