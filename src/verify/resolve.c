/* SPDX-License-Identifier: Apache-2.0
 *
 * resolve: what no schedule brought about: the predictor refutes it, by waits, semaphores and
 * values, or makes a schedule that is followed to the letter. */
#include "verify/swan.h"

#include <stdlib.h>
#include <string.h>

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
    CHECK(order[at[0]] == pairs[0][0] && order[at[3]] == pairs[1][1]);
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
    CHECK(violation_count(v) <= QUERY_MAX);
    ev_id order[4];
    enum answer answer = ANSWER_NO;
    uint32_t count = list_events(v, order);
    CHECK(count >= 2);
    do {
        struct query q = {.kind = QUERY_ORDER, .count = count};
        if (!fits(s, v, order, count))
            continue;
        for (uint32_t i = 0; i < count; i++)
            q.number[i] = model_number(s->m, order[i]);
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
    int result = swan_take_run(s, &t, &group, FOUND_SUSPICIOUS, err);
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
    CHECK(index < s->all.len && s->all.at[index].pattern >= 1);
    CHECK(s->all.at[index].state == VIOLATION_LEFT || s->all.at[index].state == VIOLATION_AWAY);
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
int swan_resolve(struct swan *s, struct err *err)
{
    uint32_t max = swan_tries(s);
    for (uint32_t i = 0; i < s->all.len && !s->j->is_decided && !run_signal(); i++)
        if ((s->all.at[i].state == VIOLATION_LEFT || s->all.at[i].state == VIOLATION_AWAY) &&
            s->j->out->schedules < 2 * max && resolve_one(s, i, err) < 0)
            return -1;
    return 0;
}
