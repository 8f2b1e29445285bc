/* SPDX-License-Identifier: Apache-2.0
 *
 * shown: what a run of the program after had of the suspicious violations. */
#include "verify/swan.h"

static uint32_t place_in(const struct swan *s, const struct names *run, ev_id e)
{
    CHECK(e < s->m->ev_count && model_number(s->m, e) < s->names.count);
    return names_find(run, s->names.of[model_number(s->m, e)]);
}

enum shown swan_shown(const struct swan *s, const struct names *run, const struct violation *v,
                      uint32_t *last)
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
    return is_gone ? SHOWN_PART : SHOWN_NOT;
}

static void mark_alike(struct swan *s, uint64_t places)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == VIOLATION_OPEN && s->all.at[i].places == places)
            s->all.at[i].tested_alike++;
}

/* ---- what went another way --------------------------------------------------------------- */

/* The thread of e did not come to it in the run: where it was when it could not any more, by
 * the control-flow graph; 0: it always could. */
static uint64_t lost_at(const struct swan *s, const struct names *run, ev_id e)
{
    const struct model *m = s->m;
    const struct model_thread *t = &m->threads[m->ev[e].thr];
    uint32_t from = NONE;
    for (uint32_t i = m->idx[e]; i-- > 0 && from == NONE;)
        from = place_in(s, run, m->by_thread[t->first + i]);
    uint64_t to = s->names.site[model_number(m, e)];
    for (uint64_t n = from; from != NONE && n < run->count; n++)
        if (run->thr[n] == run->thr[from] && n > from &&
            !reachable_named(s->j->reach, run->site[n], to))
            return run->site[n];
    return 0;
}

/* Tried often enough: the program goes another way, and sometimes it can be proven. */
static void go_away(struct swan *s, const struct names *run, struct violation *v)
{
    AUTO(str) struct str where = {0};
    v->state = VIOLATION_AWAY;
    v->why = "tried, and the program goes another way: a thread ends without doing it";
    for (uint32_t i = 0; s->j->reach && i < violation_count(v); i++) {
        uint64_t at = place_in(s, run, v->e[i]) == NONE ? lost_at(s, run, v->e[i]) : 0;
        if (at == 0)
            continue;
        reachable_tell(s->j->reach, at, &where);
        v->why =
            judge_text(s->j, "cannot be reached in the control-flow graph from %s", where.at);
        return;
    }
}

void swan_note_passed(struct swan *s, const struct names *run, const violation_group *group)
{
    uint32_t last;
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct violation *v = &s->all.at[i];
        if (v->state != VIOLATION_OPEN || swan_shown(s, run, v, &last) != SHOWN_WHOLE)
            continue;
        v->state = VIOLATION_PASSED;
        mark_alike(s, v->places);
    }
    for (uint32_t i = 0; i < group->len; i++) {
        struct violation *v = &s->all.at[group->at[i]];
        if (v->state != VIOLATION_OPEN)
            continue;
        v->tries++;
        enum shown shown = swan_shown(s, run, v, &last);
        if (shown == SHOWN_NOT)
            v->seen_in = s->j->made;
        if (v->tries >= TRIES_EACH && shown == SHOWN_PART)
            go_away(s, run, v);
    }
}
