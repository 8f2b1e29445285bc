/* SPDX-License-Identifier: Apache-2.0
 *
 * choose: decisions that no rule forces, taken as the trace took them. choose_all makes a
 * window fit what surrounds it (SEQCHECK 5, boundary decisions); choose_pairs orders whatever
 * conflicts in a window that is everything (4.6b). */
#include "predict/engine.h"

#include <stdlib.h>

enum { PAIRS_MAX = 1 << 21 };

/* One decision, and what follows from it. */
static enum closure decide_edge(struct predictor *p, ev_id from, ev_id to)
{
    enum closure o = window_add(p, from, to);
    return o == DONE ? window_settle(p) : o;
}

/* ---- the window's edges ---------------------------------------------------------------- */

/* A firm read whose write lies before the window precedes all other writes in it. */
static enum closure choose_read(struct predictor *p, ev_id e, cell_id c)
{
    ev_id source = model_source(p->m, e, c);
    if (source == NONE || source >= p->w.lo)
        return DONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id w = t == thread_of(p, e) ? NONE : first_write(p, c, t, p->w.a[t], p->w.b[t]);
        if (w == NONE)
            continue;
        enum closure o =
            window_before(p, w, e) ? window_add(p, w, source) : decide_edge(p, e, w);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* A write that is still to be seen behind the window is the last one in it. */
static enum closure choose_write(struct predictor *p, ev_id e, cell_id c)
{
    struct readers readers = readers_of(p, c, e);
    bool seen = false;
    for (thr_id t = 0; readers.len > 0 && t < p->k && !seen; t++)
        seen = readers_last(p, &readers, t, p->w.b[t], firm_of(p, t)) != NONE;
    for (thr_id t = 0; seen && t < p->k; t++) {
        ev_id w = t == thread_of(p, e) ? NONE : last_write(p, c, t, p->w.a[t], p->w.b[t]);
        enum closure o = w == NONE ? DONE : decide_edge(p, w, e);
        if (o != DONE)
            return o;
    }
    return DONE;
}

static enum closure choose_access(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    bool reads = model_reads(m, e) && is_firm(p, e), writes = model_writes(m, e);
    if (!reads && !writes)
        return DONE;
    struct span cells = model_cells(m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        enum closure o = reads ? choose_read(p, e, c) : DONE;
        if (o == DONE && writes)
            o = choose_write(p, e, c);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* A section that began before the window ends before others begin in it. */
static enum closure choose_release(struct predictor *p, ev_id e)
{
    ev_id acquire = p->m->link[e];
    thr_id self = thread_of(p, e);
    if (p->m->idx[acquire] >= p->w.a[self])
        return DONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id a = t == self ? NONE : first_rival(p, acquire, t, p->w.a[t], p->w.b[t]);
        enum closure o = a == NONE ? DONE : decide_edge(p, e, a);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* A section that ends behind the window begins after others have ended in it. */
static enum closure choose_acquire(struct predictor *p, ev_id e)
{
    ev_id release = p->m->link[e];
    thr_id self = thread_of(p, e);
    if (release != NONE && in_window(&p->w, self, p->m->idx[release]))
        return DONE;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t before = idx_from(p, t, len_of(p, t), e);
        ev_id a = t == self ? NONE : last_rival(p, e, t, p->w.a[t], before);
        if (a == NONE)
            continue;
        enum closure o = window_end_before(p, a, e);
        if (o == DONE)
            o = window_settle(p);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* What kept it from the thread in the trace does so again. */
static enum closure choose_refusal(struct predictor *p, ev_id e)
{
    ev_id taker = p->whole ? NONE : supply_taker(p, e);
    if (taker == NONE || !in_cut(p, taker))
        return DONE;
    enum closure o = decide_edge(p, taker, e);
    ev_id release = p->m->link[taker];
    return o == DONE && release != NONE && in_cut(p, release) ? decide_edge(p, e, release) : o;
}

enum closure choose_all(struct predictor *p)
{
    CHECK(p->w.lo <= p->w.hi && p->w.hi < p->m->ev_count);
    if (!afford(p, p->w.hi - p->w.lo + 1))
        return FAILED;
    for (ev_id e = p->w.lo; e <= p->w.hi; e++) {
        if (!in_window(&p->w, thread_of(p, e), p->m->idx[e]))
            continue;
        unsigned kind = p->m->ev[e].kind;
        enum closure o = kind == EV_ACQUIRE   ? choose_acquire(p, e)
                         : kind == EV_RELEASE ? choose_release(p, e)
                         : is_busy(p, e)      ? choose_refusal(p, e)
                                              : choose_access(p, e);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* ---- all conflicts --------------------------------------------------------------------- */

static int by_place(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void pair(struct predictor *p, ev_id a, ev_id b)
{
    if (a != b && p->pairs.len < PAIRS_MAX && afford(p, 5))
        vec_push(&p->pairs, a < b ? (struct edge){a, b} : (struct edge){b, a});
}

static void pairs_of_read(struct predictor *p, ev_id r, cell_id c)
{
    const struct model *m = p->m;
    ev_id source = model_source(m, r, c);
    for (uint32_t i = m->cell_first[c]; i < m->cell_reads[c]; i++) {
        ev_id w = m->accesses[i];
        if (w == source || !in_cut(p, w))
            continue;
        pair(p, w, r);
        if (source != NONE)
            pair(p, w, source);
    }
}

static void pairs_of_section(struct predictor *p, ev_id a1)
{
    const struct model *m = p->m;
    sync_id lock = m->obj[a1];
    ev_id release = m->link[a1];
    if (release == NONE || !in_cut(p, release))
        return;
    for (uint32_t i = p->lock_first[lock]; i < p->lock_first[lock + 1]; i++) {
        ev_id a2 = p->lock_acquires[i];
        if (a2 > release && in_cut(p, a2) && m->ev[a2].thr != m->ev[a1].thr &&
            !(m->ev[a1].detail & m->ev[a2].detail & FLAG(SHARED)))
            pair(p, release, a2);
    }
}

static void pairs_collect(struct predictor *p)
{
    const struct model *m = p->m;
    p->pairs.len = 0;
    for (ev_id e = p->w.lo; e <= p->w.hi && afford(p, 1); e++) {
        if (!in_cut(p, e))
            continue;
        if (m->ev[e].kind == EV_ACQUIRE)
            pairs_of_section(p, e);
        if (!model_reads(m, e) || !is_firm(p, e))
            continue;
        struct span cells = model_cells(m, e);
        for (cell_id c = cells.first; c < cells.first + cells.count; c++)
            pairs_of_read(p, e, c);
    }
    if (p->pairs.len > 0)
        qsort(p->pairs.at, p->pairs.len, sizeof *p->pairs.at, by_place);
}

enum closure choose_pairs(struct predictor *p)
{
    pairs_collect(p);
    if (!afford(p, 50 * (uint64_t)p->pairs.len))
        return FAILED;
    for (uint32_t i = 0; i < p->pairs.len; i++) {
        struct edge e = p->pairs.at[i];
        if (window_before(p, e.from, e.to) || window_before(p, e.to, e.from))
            continue;
        enum closure o = decide_edge(p, e.from, e.to);
        if (o != DONE)
            return o;
    }
    return DONE;
}
