/* SPDX-License-Identifier: Apache-2.0
 *
 * swan: suspicious violations of the failing run, on a trace of the program after: found,
 * refuted where the change really excludes them, and the rest tried, many in one schedule,
 * until one fails or each was excluded, has passed or cannot come about.
 *
 * The trace is one in which the program after followed the failing schedule as far as it
 * could: the nearest to it that is legal. Must-happen-before is program order, creation and
 * join. What these and the locks do not refute is run; only what several schedules could not
 * bring about is given to the predictor, whose answers know waits, semaphores and values. */
#include "verify/judge.h"

#include "predict/predict.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIES_DEFAULT = 48,
    TRIES_EACH = 3,
    ALIKE_MAX = 3,
    VIOLATIONS_MAX = 30000,
    LEFTS_MAX = 8
};

struct swan {
    struct judge *j;
    struct trace trace;
    struct model *m;
    struct must *must;
    struct names names;  /* of the trace */
    uint32_t *rank;      /* by event: its place in the failing run, or NONE */
    uint32_t *line_rank; /* the same; where there is none, that of its neighbours */
    violations all;
    struct predictor *sync, *sound; /* made when needed */
};

static void auto_swan(struct swan *s)
{
    predictor_free(s->sync);
    predictor_free(s->sound);
    must_free(s->must);
    model_free(s->m);
    names_done(&s->names);
    trace_close(&s->trace);
    free(s->rank);
    free(s->line_rank);
    vec_done(&s->all);
}

/* ---- the failing run's order ------------------------------------------------------------- */

/* By thread, from both ends: what is not in the failing run stands beside what is. */
static void fill_line_rank(struct swan *s)
{
    const struct model *m = s->m;
    for (thr_id t = 0; t < m->thread_count; t++) {
        const ev_id *mine = m->by_thread + m->threads[t].first;
        uint32_t len = m->threads[t].len, last = NONE;
        for (uint32_t i = len; i-- > 0;) {
            last = s->rank[mine[i]] != NONE ? s->rank[mine[i]] : last;
            s->line_rank[mine[i]] = last;
        }
        last = 0;
        for (uint32_t i = 0; i < len; i++) {
            bool is_release = m->ev[mine[i]].kind == EV_RELEASE;
            if (s->rank[mine[i]] == NONE && (is_release || s->line_rank[mine[i]] == NONE))
                s->line_rank[mine[i]] = last;
            last = s->line_rank[mine[i]];
        }
    }
}

static int find_ranks(struct swan *s, struct err *err)
{
    struct judge *j = s->j;
    struct site_map sites;
    struct names before;
    site_map_make(&sites, &j->before, &s->trace, j->o);
    int result = names_make(&before, &j->before, sites.name, err);
    for (ev_id e = 0; result == 0 && e < s->m->ev_count; e++)
        s->rank[e] = names_find(&before, s->names.of[s->m->number[e]]);
    site_map_done(&sites);
    names_done(&before);
    fill_line_rank(s);
    return result;
}

static int open_trace(struct swan *s, const char *directory, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&s->trace, path.at, err) < 0)
        return -1;
    s->m = model_build(&s->trace, &(struct model_opts){0}, err);
    if (!s->m)
        return err_in(err, "%s", path.at);
    if (names_make(&s->names, &s->trace, NULL, err) < 0)
        return err_in(err, "%s", path.at);
    s->must = must_new(s->m);
    s->rank = mem_get((s->m->ev_count + 1) * sizeof *s->rank);
    s->line_rank = mem_get((s->m->ev_count + 1) * sizeof *s->line_rank);
    return find_ranks(s, err);
}

/* ---- what a run showed ------------------------------------------------------------------- */

static uint32_t place_in(const struct swan *s, const struct names *run, ev_id e)
{
    return names_find(run, s->names.of[s->m->number[e]]);
}

enum shown { SHOWN_NOT, SHOWN_BEGINNING, SHOWN_WHOLE };

/* How much of the violation a run had; last: where it ended. */
static enum shown shown_in(const struct swan *s, const struct names *run,
                           const struct violation *v, uint32_t *last)
{
    ev_id pairs[2][2];
    uint32_t at[2][2];
    violation_pairs(v, pairs);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 2; k++)
            at[i][k] = place_in(s, run, pairs[i][k]);
    bool first = at[0][0] != NONE && at[0][1] != NONE && at[0][0] < at[0][1];
    bool second = at[1][0] != NONE && at[1][1] != NONE && at[1][0] < at[1][1];
    *last = at[1][1] != NONE && at[0][1] != NONE && at[0][1] > at[1][1] ? at[0][1] : at[1][1];
    if (first && second)
        return SHOWN_WHOLE;
    bool is_gone = at[0][0] == NONE || at[0][1] == NONE || at[1][0] == NONE || at[1][1] == NONE;
    return is_gone && (first || second || (at[1][0] != NONE && at[1][1] == NONE))
               ? SHOWN_BEGINNING
               : SHOWN_NOT;
}

static void mark_alike(struct swan *s, uint64_t places)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == VIOLATION_OPEN && s->all.at[i].places == places)
            s->all.at[i].tested_alike++;
}

static void note_passed(struct swan *s, const struct names *run, const violation_group *group)
{
    uint32_t last;
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct violation *v = &s->all.at[i];
        if (v->state != VIOLATION_OPEN || shown_in(s, run, v, &last) != SHOWN_WHOLE)
            continue;
        v->state = VIOLATION_PASSED;
        mark_alike(s, v->places);
    }
    for (uint32_t i = 0; i < group->len; i++) {
        struct violation *v = &s->all.at[group->at[i]];
        if (v->state != VIOLATION_OPEN)
            continue;
        v->tries++;
        if (v->tries >= TRIES_EACH && shown_in(s, run, v, &last) == SHOWN_BEGINNING)
            v->state = VIOLATION_AWAY;
    }
}

/* The violation that a failing run ends with: of those that it had, the last. */
static const struct violation *culprit(const struct swan *s, const struct names *run,
                                       uint64_t numbers[4], uint32_t *count)
{
    const struct violation *best = NULL;
    uint32_t latest = 0, last, spread = 0;
    for (uint32_t i = 0; i < s->all.len; i++) {
        const struct violation *v = &s->all.at[i];
        if (v->state == VIOLATION_EXCLUDED || shown_in(s, run, v, &last) != SHOWN_WHOLE)
            continue;
        uint32_t first = place_in(s, run, v->e[0]);
        if (best && (last < latest || (last == latest && first <= spread)))
            continue;
        best = v;
        latest = last;
        spread = first;
    }
    *count = 0;
    for (uint32_t i = 0; best && i < violation_count(best); i++)
        numbers[(*count)++] = place_in(s, run, best->e[i]);
    for (uint32_t i = 1; i < *count; i++) /* by place: a witness lists them in order */
        for (uint32_t k = i; k > 0 && numbers[k] < numbers[k - 1]; k--) {
            uint64_t swap = numbers[k];
            numbers[k] = numbers[k - 1];
            numbers[k - 1] = swap;
        }
    return best;
}

static int names_of_run(struct names *out, const char *directory, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&t, path.at, err) < 0)
        return -1;
    return names_make(out, &t, NULL, err);
}

static int tell_broken(struct swan *s, const struct run_result *r, const char *directory,
                       const char *found_by, const struct names *run, struct err *err)
{
    struct judge *j = s->j;
    AUTO(str) struct str text = {0}, missing = {0};
    uint64_t numbers[4];
    uint32_t count = 0;
    const struct violation *v = culprit(s, run, numbers, &count);
    if (v) {
        violation_tell(&text, s->m, v);
        missing_tell(&missing, s->m, v);
        j->out->violation = judge_text(j, "%s", text.at);
        j->out->missing = judge_text(j, "%s", missing.at);
    }
    return judge_broken(j, r, directory, found_by, numbers, count, err);
}

/* A run of the program after has ended: what does it say? */
static int take_run(struct swan *s, const struct trial *t, const violation_group *group,
                    const char *found_by, struct err *err)
{
    struct names run = {0};
    const struct run_result *r = &t->run.result;
    if (names_of_run(&run, t->directory.at, err) < 0)
        return -1;
    int result = 0;
    if (is_failure(r) && !is_known_failure(s->j, r))
        result = tell_broken(s, r, t->directory.at, found_by, &run, err);
    else if (run_ended_well(r))
        note_passed(s, &run, group);
    else
        for (uint32_t i = 0; i < group->len; i++)
            s->all.at[group->at[i]].tries++;
    names_done(&run);
    return result;
}

/* ---- schedules --------------------------------------------------------------------------- */

static int write_schedule(struct swan *s, struct order *order, struct witness_writer **out,
                          struct err *err)
{
    ev_id events[ORDER_NODES_MAX];
    uint32_t count = 0;
    struct witness w = {.mode = MODE_SYNC};
    if (!order_line(order, s->line_rank, events, &count))
        return 1;
    struct witness_writer *writer = witness_writer_new(&s->trace, err);
    if (!writer)
        return -1;
    w.query = (struct query){.kind = QUERY_ORDER};
    for (uint32_t i = 0; i < count; i++)
        vec_push(&w.order, s->m->number[events[i]]);
    witness_writer_add(writer, &w, "suspicious", s->j->o->after);
    witness_done(&w);
    if (witness_writer_finish(writer, err) < 0) {
        witness_writer_free(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

static bool is_open(const struct swan *s)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == VIOLATION_OPEN && s->all.at[i].tries < TRIES_EACH)
            return true;
    return false;
}

/* Those that were tried often enough wait for the predictor. */
static void park(struct swan *s, uint8_t from, uint8_t to)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == from && s->all.at[i].tries >= TRIES_EACH)
            s->all.at[i].state = to;
}

static int try_group(struct swan *s, struct err *err)
{
    AUTO(order) struct order *order = order_new(s->must);
    AUTO(witness_writer) struct witness_writer *writer = NULL;
    violation_group group = {0};
    struct trial t;
    suspect_group(&group, &s->all, s->must, order);
    int result = write_schedule(s, order, &writer, err);
    if (result == 1 || group.len == 0) {
        for (uint32_t i = 0; i < group.len; i++)
            s->all.at[group.at[i]].tries++;
        result = 0;
    } else if (result == 0) {
        struct run_greedy greedy = {0};
        s->j->out->schedules++;
        result = trial_run(s->j, witness_writer_get(writer, 0), &greedy, &t, err);
        if (result == 0) {
            result = take_run(s, &t, &group, "a suspicious violation", err);
            trial_done(&t);
        }
    }
    vec_done(&group);
    return result;
}

static int try_groups(struct swan *s, struct err *err)
{
    uint32_t max = s->j->o->tries ? s->j->o->tries : TRIES_DEFAULT;
    while (is_open(s) && !s->j->is_decided && s->j->out->schedules < max && !run_signal()) {
        park(s, VIOLATION_OPEN, VIOLATION_LEFT);
        if (try_group(s, err) < 0)
            return -1;
    }
    park(s, VIOLATION_OPEN, VIOLATION_LEFT);
    return 0;
}

/* ---- what no schedule brought about ------------------------------------------------------ */

static bool fits(const struct swan *s, const struct violation *v, const ev_id *order,
                 uint32_t count)
{
    uint32_t at[4] = {0};
    ev_id pairs[2][2];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            if (must_before(s->must, order[k], order[i]))
                return false;
    violation_pairs(v, pairs);
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t i = 0; i < count; i++) {
            at[2 * p] = order[i] == pairs[p][0] ? i : at[2 * p];
            at[2 * p + 1] = order[i] == pairs[p][1] ? i : at[2 * p + 1];
        }
    return at[0] < at[1] && at[2] < at[3];
}

/* Every total order of its events that has it, one after the other; false: no more. */
static bool next_order(ev_id *order, uint32_t count)
{
    uint32_t i = count - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return false;
    uint32_t k = count - 1;
    while (order[k] < order[i - 1])
        k--;
    ev_id swap = order[i - 1];
    order[i - 1] = order[k];
    order[k] = swap;
    for (uint32_t a = i, b = count - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return true;
}

static int by_event(const void *left, const void *right)
{
    ev_id a = *(const ev_id *)left, b = *(const ev_id *)right;
    return (a > b) - (a < b);
}

/* Its events, each once: one access may cover both variables. */
static uint32_t list_events(const struct violation *v, ev_id out[4])
{
    uint32_t count = 0;
    memcpy(out, v->e, sizeof v->e);
    qsort(out, violation_count(v), sizeof *out, by_event);
    for (uint32_t i = 0; i < violation_count(v); i++)
        if (count == 0 || out[count - 1] != out[i])
            out[count++] = out[i];
    return count;
}

/* Asks about all of them: yes if one can be (with its witness), no if none can. */
static enum answer ask(const struct swan *s, struct predictor *p, const struct violation *v,
                       struct witness *out)
{
    ev_id order[4];
    enum answer answer = ANSWER_NO;
    uint32_t count = list_events(v, order);
    do {
        struct query q = {.kind = QUERY_ORDER, .count = count};
        if (!fits(s, v, order, count))
            continue;
        for (uint32_t i = 0; i < count; i++)
            q.number[i] = s->m->number[order[i]];
        enum answer one = predict(p, &q, out);
        if (one == ANSWER_YES)
            return one;
        answer = one == ANSWER_UNKNOWN ? one : answer;
    } while (next_order(order, count));
    return answer;
}

static struct predictor *predictor_of(const struct swan *s, struct predictor **slot,
                                      enum mode mode)
{
    struct err ignored;
    if (!*slot)
        *slot = predictor_new(s->m, mode, &ignored);
    return *slot;
}

static enum mode recorded_mode(const struct swan *s)
{
    return s->trace.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
}

/* A schedule that the predictor says is possible, followed to the letter. */
static int try_witness(struct swan *s, uint32_t index, const struct witness *w, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(&s->trace, err);
    violation_group group = {0};
    struct trial t;
    if (!writer)
        return -1;
    witness_writer_add(writer, w, "suspicious", s->j->o->after);
    s->j->out->schedules++;
    if (witness_writer_finish(writer, err) < 0 ||
        trial_run(s->j, witness_writer_get(writer, 0), NULL, &t, err) < 0)
        return -1;
    vec_push(&group, index);
    s->all.at[index].state = VIOLATION_OPEN;
    int result = take_run(s, &t, &group, "a suspicious violation", err);
    struct violation *v = &s->all.at[index];
    if (v->state == VIOLATION_OPEN || v->state == VIOLATION_AWAY) {
        v->why = judge_text(s->j, "possible by the trace, but no run followed it: %s",
                            t.run.why.len ? t.run.why.at : "it went another way");
        v->state = VIOLATION_LEFT;
    }
    vec_done(&group);
    trial_done(&t);
    return result;
}

static int resolve_one(struct swan *s, uint32_t index, struct err *err)
{
    AUTO(witness) struct witness w = {0};
    struct predictor *sync = predictor_of(s, &s->sync, MODE_SYNC);
    struct predictor *sound = predictor_of(s, &s->sound, recorded_mode(s));
    struct violation *v = &s->all.at[index];
    v->why = "nothing could be decided";
    if (!sync || !sound)
        return 0;
    if (ask(s, sync, v, NULL) == ANSWER_NO) {
        v->state = VIOLATION_EXCLUDED;
        v->why = "excluded by locks, waits and semaphores together";
        return 0;
    }
    enum answer answer = ask(s, sound, v, &w);
    if (answer == ANSWER_NO) {
        v->state = VIOLATION_EXCLUDED;
        v->why = "excluded by values: the program would not come there";
        return 0;
    }
    v->why = "no schedule brought it about, and it could not be refuted";
    return answer == ANSWER_YES ? try_witness(s, index, &w, err) : 0;
}

/* Those that alike ones stand for are as good as those. */
static int resolve(struct swan *s, struct err *err)
{
    uint32_t max = s->j->o->tries ? s->j->o->tries : TRIES_DEFAULT;
    for (uint32_t i = 0; i < s->all.len && !s->j->is_decided && !run_signal(); i++)
        if ((s->all.at[i].state == VIOLATION_LEFT || s->all.at[i].state == VIOLATION_AWAY) &&
            s->j->out->schedules < 2 * max && resolve_one(s, i, err) < 0)
            return -1;
    return 0;
}

/* ---- the account ------------------------------------------------------------------------- */

static void count_item(struct judge *j, verify_items *list, const struct str *what,
                       const struct str *why, uint32_t max)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].why, why->at) == 0) {
            list->at[i].count++;
            if (max)
                return;
        }
    if (max && list->len >= max)
        return;
    vec_push(list, (struct verify_item){judge_text(j, "%s", what->at),
                                        judge_text(j, "%s", why->at), 1});
}

static void account(struct swan *s)
{
    struct verify_verdict *out = s->j->out;
    for (uint32_t i = 0; i < s->all.len; i++) {
        AUTO(str) struct str what = {0}, why = {0};
        const struct violation *v = &s->all.at[i];
        violation_tell(&what, s->m, v);
        out->alike += v->alike - 1;
        switch (v->state) {
        case VIOLATION_EXCLUDED:
            out->excluded++;
            excluded_tell(&why, s->m, v);
            count_item(s->j, &out->proofs, &what, &why, UINT32_MAX);
            break;
        case VIOLATION_PASSED:
            out->passed++;
            break;
        case VIOLATION_AWAY:
            out->unreachable++;
            str_add(&why, "%s", "tried, and the program goes another way");
            count_item(s->j, &out->unreached, &what, &why, UINT32_MAX);
            break;
        default:
            out->left++;
            str_add(&why, "%s", v->why ? v->why : "not tried: the budget is spent");
            if (out->lefts.len < LEFTS_MAX)
                vec_push(&out->lefts, (struct verify_item){judge_text(s->j, "%s", what.at),
                                                           judge_text(s->j, "%s", why.at), 1});
            break;
        }
    }
    out->suspicious += s->all.len;
}

/* The runs so far count too: the failing schedule, as far as it went. */
static int take_followed(struct swan *s, struct err *err)
{
    violation_group none = {0};
    const struct str *seen[] = {&s->j->fresh, &s->j->followed};
    for (uint32_t i = 0; i < 2; i++) {
        struct names run = {0};
        if (seen[i]->len == 0)
            continue;
        if (names_of_run(&run, seen[i]->at, err) < 0)
            return -1;
        note_passed(s, &run, &none);
        names_done(&run);
    }
    return 0;
}

int swan_stage(struct judge *j, struct err *err)
{
    __attribute__((cleanup(auto_swan))) struct swan s = {.j = j};
    if (open_trace(&s, j->followed.len ? j->followed.at : j->fresh.at, err) < 0)
        return -1;
    struct suspect_opts opts = {.rank = s.rank, .alike_max = ALIKE_MAX, .max = VIOLATIONS_MAX};
    if (suspect_find(&s.all, s.m, s.must, &opts)) {
        j->out->left++;
        vec_push(&j->out->lefts, (struct verify_item){"more suspicious violations",
                                                      "there are too many to look at all", 1});
    }
    suspect_refute(&s.all, s.must);
    if (take_followed(&s, err) < 0 || try_groups(&s, err) < 0 || resolve(&s, err) < 0)
        return -1;
    account(&s);
    return 0;
}

int swan_broken(struct judge *j, const struct run_result *r, const char *directory,
                const char *found_by, struct err *err)
{
    __attribute__((cleanup(auto_swan))) struct swan s = {.j = j};
    struct names run = {0};
    if (!j->has_failing)
        return judge_broken(j, r, directory, found_by, NULL, 0, err);
    if (open_trace(&s, directory, err) < 0 || names_of_run(&run, directory, err) < 0)
        return -1;
    struct suspect_opts opts = {.rank = s.rank, .alike_max = ALIKE_MAX, .max = VIOLATIONS_MAX};
    (void)suspect_find(&s.all, s.m, s.must, &opts);
    suspect_refute(&s.all, s.must);
    int result = tell_broken(&s, r, directory, found_by, &run, err);
    if (j->out->suspicious == 0) {
        j->out->suspicious = s.all.len;
        for (uint32_t i = 0; i < s.all.len; i++)
            j->out->excluded += s.all.at[i].state == VIOLATION_EXCLUDED;
    }
    names_done(&run);
    return result;
}
