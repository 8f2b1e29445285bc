/* SPDX-License-Identifier: Apache-2.0
 *
 * blocked: threads that stand before something they have to wait for. Whether they do is not a
 * matter of what the cut needs but of what it leaves out: it is looked at when the cut is whole
 * and in order. */
#include "predict/engine.h"

static bool is_barrier(const struct model *m, ev_id e)
{
    return m->ev[e].kind == EV_ARRIVE || m->ev[e].kind == EV_DEPART;
}

bool blocked_can_be_asked(const struct model *m, ev_id e)
{
    CHECK(e < m->ev_count);
    unsigned kind = m->ev[e].kind;
    return kind == EV_ACQUIRE || kind == EV_JOIN || kind == EV_SEM_WAIT || is_barrier(m, e);
}

bool blocked_by_needs(const struct predictor *p, ev_id e)
{
    return p->kind == QUERY_BLOCKED && is_barrier(p->m, e);
}

/* Does another thread still have the lock, in a way that keeps e from having it? */
static bool is_held(const struct predictor *p, ev_id e)
{
    for (thr_id t = 0; t < p->k; t++) {
        ev_id a = t == thread_of(p, e) ? NONE : last_rival(p, e, t, 0, len_of(p, t));
        if (a != NONE && (p->m->link[a] == NONE || !in_cut(p, p->m->link[a])))
            return true;
    }
    return false;
}

/* Is a, by what the query orders, known to come before b? */
static bool is_asked_before(const struct predictor *p, ev_id a, ev_id b)
{
    const struct model *m = p->m;
    bool met = false;
    for (uint32_t i = 0; i < p->ordered; i++) {
        ev_id e = p->goal[i];
        if (met && m->ev[e].thr == m->ev[b].thr && m->idx[e] <= m->idx[b])
            return true;
        met |= m->ev[e].thr == m->ev[a].thr && m->idx[e] >= m->idx[a];
    }
    return false;
}

/* Where it stands among the events of the window; NONE: it is not in there. */
static uint32_t place_of(const struct predictor *p, ev_id e)
{
    for (uint32_t i = 0; i < p->order.len; i++)
        if (p->order.at[i] == e)
            return i;
    return NONE;
}

/* Does a come before b in the order that was found? Outside the window it is the trace's. */
static bool is_put_before(const struct predictor *p, ev_id a, ev_id b)
{
    uint32_t x = place_of(p, a), y = place_of(p, b);
    return x != NONE && y != NONE ? x < y : a < b;
}

static bool is_asleep(const struct predictor *p, ev_id e)
{
    const struct wait *w = wait_ended_by(p, e);
    if (!w || w->notify == NONE)
        return false;
    return !in_cut(p, w->notify) || is_asked_before(p, w->notify, w->enter) ||
           is_put_before(p, w->notify, w->enter);
}

static bool lacks_something(const struct predictor *p, ev_id e)
{
    const struct need *n = p->m->needs;
    for (uint32_t j = needs_of(p->m, e); j < p->m->need_count && n[j].to == e; j++)
        if (!in_cut(p, n[j].from))
            return true;
    return false;
}

static bool is_blocked(const struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    switch (m->ev[e].kind) {
    case EV_ACQUIRE:
        return is_held(p, e) || is_asleep(p, e);
    case EV_SEM_WAIT:
        return supply_level(p, m->obj[e], p->now) == 0;
    case EV_JOIN:
        return len_of(p, m->obj[e]) < m->threads[m->obj[e]].len;
    default:
        return lacks_something(p, e);
    }
}

bool blocked_as_asked(struct predictor *p)
{
    CHECK(p->kind != QUERY_BLOCKED || p->ordered < p->count);
    for (uint32_t i = p->ordered; p->kind == QUERY_BLOCKED && i < p->count; i++)
        if (!is_blocked(p, p->goal[i])) {
            p->unproved = true;
            return false;
        }
    return true;
}
