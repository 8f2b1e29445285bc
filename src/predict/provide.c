/* SPDX-License-Identifier: Apache-2.0
 *
 * provide: waits that end by what another thread does later: a signal, a post, its arrival at a
 * barrier. A thread that stands somewhere provides what it does behind that place in the trace.
 *
 * Others than those that wait in a circle may provide the same. What they can do without any of
 * these comes first: a signal before the wait for it begins, a post so that it is used up. Off
 * the recorded path threads may do something else, so only a replay can tell. */
#include "predict/engine.h"

#include <stdlib.h>

static bool is_signal(const struct model *m, ev_id e)
{
    return m->ev[e].kind == EV_SIGNAL || m->ev[e].kind == EV_BROADCAST;
}

static bool provides(const struct model *m, ev_id e)
{
    return is_signal(m, e) || m->ev[e].kind == EV_SEM_POST || m->ev[e].kind == EV_ARRIVE;
}

/* ---- who provides what ------------------------------------------------------------------- */

void providers_find(const struct model *m, providers *out)
{
    out->len = 0;
    for (sync_id s = 0; s < m->sync_count; s++) {
        if (m->syncs[s].on == ON_LOCK)
            continue;
        for (uint32_t i = m->sync_first[s]; i < m->sync_first[s + 1]; i++) {
            ev_id e = m->sync_events[i];
            struct provider *last = out->len ? &out->at[out->len - 1] : NULL;
            if (!provides(m, e))
                continue;
            if (last && last->sync == s && last->thr == m->ev[e].thr)
                last->until = m->idx[e];
            else
                vec_push(out, (struct provider){s, m->ev[e].thr, m->idx[e]});
        }
    }
}

/* What the last to arrive at a barrier needs are the others of its round. */
static ev_id opener_of(const struct model *m, ev_id e)
{
    uint32_t n = needs_of(m, e);
    bool departs = m->ev[e].kind == EV_DEPART && n < m->need_count && m->needs[n].to == e;
    return departs ? m->needs[n].from : e;
}

static bool is_still_to_come(const struct model *m, ev_id e, thr_id t, uint32_t n)
{
    return m->ev[e].kind == EV_ARRIVE && m->ev[e].thr == t && m->idx[e] >= n;
}

bool provider_can_end(const struct model *m, ev_id wait, thr_id t, uint32_t n)
{
    if (m->ev[wait].kind != EV_ARRIVE && m->ev[wait].kind != EV_DEPART)
        return true;
    ev_id opener = opener_of(m, wait);
    if (is_still_to_come(m, opener, t, n))
        return true;
    for (uint32_t i = needs_of(m, opener); i < m->need_count && m->needs[i].to == opener; i++)
        if (is_still_to_come(m, m->needs[i].from, t, n))
            return true;
    return false;
}

/* ---- where threads wait ------------------------------------------------------------------ */

/* The last to arrive waits, too, if it comes earlier than it did. */
static bool waits_here(const struct model *m, ev_id e)
{
    uint32_t n = needs_of(m, e);
    switch (m->ev[e].kind) {
    case EV_SEM_WAIT:
        return !(m->ev[e].detail & (FLAG(TRY) | FLAG(TIMED)));
    case EV_ARRIVE:
    case EV_DEPART:
        return n < m->need_count && m->needs[n].to == e;
    default:
        return false;
    }
}

void provider_waits(const struct model *m, void (*visit)(void *arg, ev_id e, sync_id s),
                    void *arg)
{
    for (uint32_t i = 0; i < m->wait_count; i++) {
        const struct wait *w = &m->waits[i];
        if (w->notify != NONE && w->acquire != NONE && w->enter != NONE &&
            !(m->ev[w->enter].detail & FLAG(TIMED)))
            visit(arg, w->acquire, w->cond);
    }
    for (sync_id s = 0; s < m->sync_count; s++)
        for (uint32_t i = m->sync_first[s];
             m->syncs[s].on != ON_LOCK && i < m->sync_first[s + 1]; i++)
            if (waits_here(m, m->sync_events[i]))
                visit(arg, m->sync_events[i], s);
}

/* ---- the query --------------------------------------------------------------------------- */

struct asking {
    const struct predictor *p;
    const ev_id *wait; /* what the threads of the circle stand before */
    uint32_t count;
    ev_id *out;
    uint32_t len;
    bool full; /* more than a query can name */
};

static void add(struct asking *a, ev_id e)
{
    for (uint32_t i = 0; i < a->len; i++)
        if (a->out[i] == e)
            return;
    a->full |= a->len + a->count >= QUERY_MAX;
    if (!a->full)
        a->out[a->len++] = e;
}

/* Can it happen while the threads of the circle stand where they do? */
static bool can_come(const struct asking *a, ev_id e)
{
    const struct model *m = a->p->m;
    for (uint32_t i = 0; i < a->count; i++) {
        ev_id d = a->wait[i];
        if (m->ev[d].thr == m->ev[e].thr ? m->idx[e] >= m->idx[d] : must_precede(a->p, d, e))
            return false;
    }
    return true;
}

static bool is_in_circle(const struct asking *a, thr_id t)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->p->m->ev[a->wait[i]].thr == t)
            return true;
    return false;
}

/* Of each thread the last event at s that counts and can come. */
static void add_last(struct asking *a, sync_id s, bool signals, thr_id but)
{
    const struct model *m = a->p->m;
    ev_id last = NONE;
    for (uint32_t i = m->sync_first[s + 1]; i-- > m->sync_first[s];) {
        ev_id e = m->sync_events[i];
        thr_id t = m->ev[e].thr;
        bool counts = signals ? is_signal(m, e) : !is_in_circle(a, t);
        if (t == but || !counts || (last != NONE && m->ev[last].thr == t) || !can_come(a, e))
            continue;
        add(a, e);
        last = e;
    }
}

static int by_place(const void *left, const void *right)
{
    ev_id a = *(const ev_id *)left, b = *(const ev_id *)right;
    return (a > b) - (a < b);
}

/* A wait for a signal: it begins behind all signals that can come. */
static void add_waits(struct asking *a, bool begin)
{
    const struct model *m = a->p->m;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct wait *w = wait_ended_by(a->p, a->wait[i]);
        if (w && w->notify != NONE && begin)
            add(a, w->enter);
        else if (w && w->notify != NONE)
            add_last(a, w->cond, true, m->ev[w->enter].thr);
        else if (m->ev[a->wait[i]].kind == EV_SEM_WAIT && !begin)
            add_last(a, m->obj[a->wait[i]], false, NONE);
    }
}

bool provider_query(const struct predictor *p, const ev_id *wait, uint32_t count, ev_id *out,
                    struct predicted *x)
{
    struct asking a = {.p = p, .wait = wait, .count = count, .out = out};
    add_waits(&a, false);
    qsort(out, a.len, sizeof *out, by_place);
    if (a.len > 0)
        add_waits(&a, true);
    if (a.full || count > ABOUT_MAX)
        return false;
    x->query = (struct query){.kind = QUERY_BLOCKED, .count = a.len + count, .ordered = a.len};
    x->about_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct wait *w = wait_ended_by(p, wait[i]);
        out[a.len + i] = wait[i];
        x->about[i] = model_number(p->m, w && w->notify != NONE ? w->enter : wait[i]);
    }
    return true;
}
