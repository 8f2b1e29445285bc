/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-weak-race: two conflicting accesses that every execution of the recorded events has
 * in one order, if threads take turns, but that C11's happens-before does not order: the order
 * rests on relaxed atomic accesses (publication by a relaxed flag). A compiler or processor may
 * break it. No run under a scheduler can show that.
 *
 * Candidates come from vector clocks along the trace that hold what C11 guarantees; everything
 * else that synchronises counts as an order. Whether an execution leaves the two unordered is
 * for the checker to say, which keeps its own account of happens-before. */
#include "predict/engine.h"

#include <string.h>

/* What is known, by thread: so many of its events. */
typedef uint32_t *knowledge;

struct order {
    struct scan *s;
    const struct model *m;
    uint32_t k;
    uint32_t *knows, *heard, *fenced; /* by thread; through relaxed loads; at a release fence */
    uint32_t *given;                  /* by sync object: to whoever comes next */
    struct map carrier_of;            /* cell with an atomic -> index of ... */
    VEC(uint32_t) carried;            /* ... what its value carries */
    uint32_t *last; /* by cell, thread: events it had done after its last read, last write */
};

static unsigned order_of(const struct model *m, ev_id e)
{
    return m->ev[e].detail & ~(unsigned)DETAIL_FAILED;
}

static bool acquires(unsigned order)
{
    return order != WORD_VALUE(ORDER, RELAXED) && order != WORD_VALUE(ORDER, RELEASE);
}

static bool releases(unsigned order)
{
    return order >= WORD_VALUE(ORDER, RELEASE);
}

static void join(const struct order *o, knowledge into, const uint32_t *from)
{
    for (uint32_t i = 0; i < o->k; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

static knowledge row(const struct order *o, uint32_t *table, uint32_t i)
{
    return table + (size_t)i * o->k;
}

static knowledge carrier(struct order *o, cell_id c)
{
    uint32_t *at = map_at(&o->carrier_of, c);
    if (*at == NONE) {
        *at = o->carried.len / o->k;
        for (uint32_t i = 0; i < o->k; i++)
            vec_push(&o->carried, 0);
    }
    return row(o, o->carried.at, *at);
}

/* ---- accesses -------------------------------------------------------------------------- */

/* The thread of e does not know of an access that must come before e nevertheless. */
static void compare(struct order *o, thr_id t, uint32_t done, ev_id e)
{
    const struct model *m = o->m;
    thr_id self = m->ev[e].thr;
    if (done == 0 || done <= row(o, o->knows, self)[t] ||
        prefix_must(&o->s->p->prefix, self, m->idx[e], t) < done)
        return;
    ev_id before = model_at(m, t, done - 1);
    if ((model_is_atomic(m, before) && model_is_atomic(m, e)) ||
        ev_ends_life(m->ev[before].kind) || ev_ends_life(m->ev[e].kind) ||
        intent_ignores(o->s->intent, before) || intent_ignores(o->s->intent, e))
        return;
    struct predicted x = {.query = {.kind = QUERY_UNORDERED, .count = 2}};
    ev_id pair[2] = {before, e};
    scan_ask(o->s, &x, pair, sites_key(o->s->p, pair, 2));
}

static void compare_all(struct order *o, ev_id e, cell_id c)
{
    thr_id self = o->m->ev[e].thr;
    bool writes = model_writes(o->m, e);
    uint32_t *last = o->last + (size_t)c * o->k * 2;
    for (thr_id t = 0; t < o->k; t++) {
        if (t == self)
            continue;
        compare(o, t, last[2 * t + 1], e);
        if (writes)
            compare(o, t, last[2 * t], e);
    }
    last[2 * self + writes] = o->m->idx[e] + 1;
}

/* A plain write ends what the value carried. */
static void pass_on(struct order *o, ev_id e, cell_id c)
{
    const struct model *m = o->m;
    thr_id t = m->ev[e].thr;
    bool reads = model_reads(m, e);
    if (!model_is_atomic(m, e)) {
        if (model_writes(m, e) && map_find(&o->carrier_of, c) != NONE)
            memset(carrier(o, c), 0, o->k * sizeof(uint32_t));
        return;
    }
    knowledge carried = carrier(o, c);
    unsigned order = order_of(m, e);
    if (reads)
        join(o, row(o, acquires(order) ? o->knows : o->heard, t), carried);
    if (!model_writes(m, e))
        return;
    if (!reads)
        memset(carried, 0, o->k * sizeof *carried);
    join(o, carried, row(o, releases(order) ? o->knows : o->fenced, t));
}

static void add_access(struct order *o, ev_id e)
{
    struct span cells = model_cells(o->m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++)
        compare_all(o, e, c);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++)
        pass_on(o, e, c);
}

/* ---- the walk -------------------------------------------------------------------------- */

static void add_sync(struct order *o, ev_id e)
{
    knowledge own = row(o, o->knows, o->m->ev[e].thr), given = row(o, o->given, o->m->obj[e]);
    if (o->m->ev[e].kind != EV_RELEASE)
        join(o, own, given);
    if (o->m->ev[e].kind != EV_ACQUIRE)
        join(o, given, own);
}

static void add_fence(struct order *o, ev_id e)
{
    thr_id t = o->m->ev[e].thr;
    unsigned order = o->m->ev[e].detail;
    if (acquires(order))
        join(o, row(o, o->knows, t), row(o, o->heard, t));
    if (releases(order))
        join(o, row(o, o->fenced, t), row(o, o->knows, t));
}

static void add_event(struct order *o, ev_id e)
{
    const struct model *m = o->m;
    thr_id t = m->ev[e].thr;
    unsigned kind = m->ev[e].kind;
    row(o, o->knows, t)[t] = m->idx[e] + 1;
    if (model_reads(m, e) || model_writes(m, e))
        add_access(o, e);
    else if (kind == EV_CREATE)
        join(o, row(o, o->knows, m->obj[e]), row(o, o->knows, t));
    else if (kind == EV_JOIN)
        join(o, row(o, o->knows, t), row(o, o->knows, m->obj[e]));
    else if (kind == EV_FENCE)
        add_fence(o, e);
    else if (ev_acts_on(kind) >= ON_SYNC)
        add_sync(o, e);
}

/* Without relaxed accesses what must come first is known to come first. */
static bool has_relaxed(const struct model *m)
{
    for (ev_id e = 0; e < m->ev_count; e++)
        if (model_is_atomic(m, e) && order_of(m, e) == WORD_VALUE(ORDER, RELAXED))
            return true;
    return false;
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    uint32_t k = s->p->k;
    if (!has_relaxed(m))
        return;
    struct order o = {.s = s, .m = m, .k = k};
    o.knows = mem_zeroed((size_t)k * k + 1, sizeof *o.knows);
    o.heard = mem_zeroed((size_t)k * k + 1, sizeof *o.heard);
    o.fenced = mem_zeroed((size_t)k * k + 1, sizeof *o.fenced);
    o.given = mem_zeroed((size_t)m->sync_count * k + 1, sizeof *o.given);
    o.last = mem_zeroed((size_t)m->cell_count * k * 2 + 1, sizeof *o.last);
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++)
        add_event(&o, e);
    free(o.knows);
    free(o.heard);
    free(o.fenced);
    free(o.given);
    free(o.last);
    map_done(&o.carrier_of);
    vec_done(&o.carried);
}

const struct pattern pattern_weak_race = {
    .id = PATTERN_WEAK_RACE,
    .scan = scan,
};
