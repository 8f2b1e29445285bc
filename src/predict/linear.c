/* SPDX-License-Identifier: Apache-2.0
 *
 * linear: from a closed window to an order of its events. What lies before the window comes
 * first and what lies behind it last, as recorded; within it the earliest event in the trace
 * goes next that may (SEQCHECK 4.6a): its predecessors have happened, its lock is
 * free, a firm read sees its write, and a write replaces nothing that is still to be seen. */
#include "predict/engine.h"

#include <string.h>

/* ---- state, filled in when first asked for --------------------------------------------- */

static uint32_t count_readers(const struct predictor *p, cell_id c, ev_id w, bool from_window)
{
    uint32_t len, count = 0;
    const ev_id *list = readers_of(p, c, w, &len);
    for (thr_id t = 0; len > 0 && t < p->k; t++) {
        uint32_t end = list_before(p->m, list, len, t, firm_of(p, t));
        uint32_t start = list_before(p->m, list, len, t, from_window ? p->w.a[t] : 0);
        count += end > start ? end - start : 0;
    }
    return count;
}

static void cell_touch(struct predictor *p, cell_id c)
{
    if (p->cell_stamp[c] == p->stamp)
        return;
    p->cell_stamp[c] = p->stamp;
    ev_id holds = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id w = last_write(p, c, t, 0, p->w.a[t]);
        if (w != NONE && (holds == NONE || w > holds))
            holds = w;
    }
    p->cell_holds[c] = holds;
    p->cell_left[c] = count_readers(p, c, holds, true);
}

static void lock_touch(struct predictor *p, sync_id lock)
{
    if (p->lock_stamp[lock] == p->stamp)
        return;
    p->lock_stamp[lock] = p->stamp;
    p->lock_owner[lock] = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id a = last_acquire(p, lock, t, 0, p->w.a[t]);
        if (a != NONE && (p->m->link[a] == NONE || p->m->idx[p->m->link[a]] >= p->w.a[t]))
            p->lock_owner[lock] = t;
    }
}

/* ---- one event ------------------------------------------------------------------------- */

static bool access_may(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    bool reads = model_reads(m, e) && is_firm(p, e), writes = model_writes(m, e);
    if (!reads && !writes)
        return true;
    struct span cells = model_cells(m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        cell_touch(p, c);
        if (reads && p->cell_holds[c] != model_source(m, e, c))
            return false;
        if (writes && p->cell_left[c] > reads)
            return false;
    }
    return true;
}

static void access_do(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    bool reads = model_reads(m, e) && is_firm(p, e), writes = model_writes(m, e);
    if (!reads && !writes)
        return;
    struct span cells = model_cells(m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        cell_touch(p, c);
        if (reads)
            p->cell_left[c]--;
        if (writes) {
            p->cell_holds[c] = e;
            p->cell_left[c] = count_readers(p, c, e, false);
        }
    }
}

static bool event_may(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    if (m->ev[e].kind == EV_ACQUIRE) {
        lock_touch(p, m->obj[e]);
        return p->lock_owner[m->obj[e]] == NONE;
    }
    return access_may(p, e);
}

static void event_do(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    if (m->ev[e].kind == EV_ACQUIRE || m->ev[e].kind == EV_RELEASE) {
        lock_touch(p, m->obj[e]);
        p->lock_owner[m->obj[e]] = m->ev[e].kind == EV_ACQUIRE ? m->ev[e].thr : NONE;
    } else {
        access_do(p, e);
    }
    p->ptr[m->ev[e].thr]++;
    vec_push(&p->order, e);
}

/* ---- the next step: one event, or a chain of adjacent ones ----------------------------- */

static bool is_minimal(const struct predictor *p, ev_id e)
{
    const uint32_t *clock = window_clock(p, e);
    for (thr_id t = 0; t < p->k; t++)
        if (p->ptr[t] < clock[t])
            return false;
    return true;
}

/* Position of e in the query if something has to stand beside it, else NONE. */
static uint32_t chained(const struct predictor *p, ev_id e)
{
    for (uint32_t i = 0; p->adjacent && i < p->count; i++)
        if (p->rho[i] == e && ((p->adjacent >> i & 1) || (i && (p->adjacent >> (i - 1) & 1))))
            return i;
    return NONE;
}

/* Executes e, with what is adjacent to it; false if it cannot be now. A chain that breaks
 * in its middle is as good as none: the order is given up. */
static bool step(struct predictor *p, ev_id e, bool *broken)
{
    uint32_t at = chained(p, e);
    if (at != NONE && at > 0 && (p->adjacent >> (at - 1) & 1))
        return false; /* not its first */
    if (!is_minimal(p, e) || !event_may(p, e))
        return false;
    event_do(p, e);
    for (; at != NONE && (p->adjacent >> at & 1); at++) {
        ev_id next = p->rho[at + 1];
        if (p->ptr[thread_of(p, next)] != p->m->idx[next] || !is_minimal(p, next) ||
            !event_may(p, next)) {
            *broken = true;
            return true;
        }
        event_do(p, next);
    }
    return true;
}

/* The earliest thread heads first. */
static bool advance(struct predictor *p, bool *broken)
{
    ev_id tried = NONE; /* all heads up to here were */
    for (;;) {
        ev_id best = NONE;
        for (thr_id t = 0; t < p->k; t++) {
            if (p->ptr[t] >= p->w.b[t])
                continue;
            ev_id e = model_at(p->m, t, p->ptr[t]);
            if ((tried == NONE || e > tried) && (best == NONE || e < best))
                best = e;
        }
        if (best == NONE)
            return false;
        if (step(p, best, broken))
            return true;
        tried = best;
    }
}

bool linear_order(struct predictor *p)
{
    const struct window *w = &p->w;
    p->order.len = 0;
    if (w->lo > w->hi)
        return true;
    p->stamp++;
    memcpy(p->ptr, w->a, p->k * sizeof *p->ptr);
    while (p->order.len < w->count) {
        bool broken = false;
        if (!advance(p, &broken) || broken)
            return false;
    }
    return true;
}

void linear_init(struct predictor *p)
{
    uint32_t cells = p->m->cell_count + 1, syncs = p->m->sync_count + 1;
    p->ptr = calloc(p->k + 1, sizeof *p->ptr);
    p->cell_stamp = calloc(cells, sizeof *p->cell_stamp);
    p->cell_left = calloc(cells, sizeof *p->cell_left);
    p->cell_holds = calloc(cells, sizeof *p->cell_holds);
    p->lock_stamp = calloc(syncs, sizeof *p->lock_stamp);
    p->lock_owner = calloc(syncs, sizeof *p->lock_owner);
    CHECK(p->ptr && p->cell_stamp && p->cell_left && p->cell_holds && p->lock_stamp &&
          p->lock_owner);
}

void linear_done(struct predictor *p)
{
    void *parts[] = {p->ptr,        p->cell_stamp, p->cell_left,
                     p->cell_holds, p->lock_stamp, p->lock_owner};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}
