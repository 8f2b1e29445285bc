/* SPDX-License-Identifier: Apache-2.0
 *
 * linear: from a closed window to an order of its events. What lies before the window comes
 * first and what lies behind it last, as recorded; within it the earliest event in the trace
 * goes next that may (SEQCHECK 4.6a): its predecessors have happened, its lock is
 * free, a firm read sees its write, and a write replaces nothing that is still to be seen. */
#include "predict/engine.h"

#include <string.h>

enum { ORDER_STEPS_MAX = 20000 }; /* taken back */

/* ---- state, filled in when first asked for --------------------------------------------- */

static uint32_t count_readers(const struct predictor *p, cell_id c, ev_id w, bool from_window)
{
    uint32_t count = 0;
    struct readers readers = readers_of(p, c, w);
    for (thr_id t = 0; readers.len > 0 && t < p->k; t++)
        count += readers_count(p, &readers, t, from_window ? p->w.a[t] : 0, firm_of(p, t));
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

static void sync_touch(struct predictor *p, sync_id id)
{
    const struct model *m = p->m;
    if (p->sync_stamp[id] == p->stamp)
        return;
    p->sync_stamp[id] = p->stamp;
    p->lock_owner[id] = NONE;
    p->lock_readers[id] = 0;
    if (map_find(&p->semaphore_of, id) != NONE)
        p->sem_level[id] = supply_level(p, id, p->w.a);
    for (thr_id t = 0; m->syncs[id].on == ON_LOCK && t < p->k; t++) {
        ev_id a = last_acquire(p, id, t, 0, p->w.a[t]);
        if (a == NONE || (m->link[a] != NONE && m->idx[m->link[a]] < p->w.a[t]))
            continue;
        if (m->ev[a].detail & FLAG(SHARED))
            p->lock_readers[id]++;
        else
            p->lock_owner[id] = t;
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

static uint64_t mix(uint64_t a, uint64_t b)
{
    return hash_u64(hash_u64(a) ^ b << 20);
}

static void cell_put(struct predictor *p, cell_id c, ev_id holds, uint32_t left)
{
    p->state ^= mix(c + 1, p->cell_holds[c]) ^ mix(c + 1, holds);
    p->cell_holds[c] = holds;
    p->cell_left[c] = left;
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
        vec_push(&p->undo, (struct undo){c, p->cell_holds[c], p->cell_left[c]});
        CHECK(writes || p->cell_left[c] > 0);
        if (writes)
            cell_put(p, c, e, count_readers(p, c, e, false));
        else
            p->cell_left[c]--;
    }
}

static void access_undo(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    if (!(model_reads(m, e) && is_firm(p, e)) && !model_writes(m, e))
        return;
    for (uint32_t i = model_cells(m, e).count; i > 0; i--) {
        CHECK(p->undo.len > 0);
        struct undo u = p->undo.at[--p->undo.len];
        cell_put(p, u.cell, u.holds, u.left);
    }
}

static bool event_may(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    bool busy = is_busy(p, e);
    sync_id id = m->obj[e];
    if (m->ev[e].kind != EV_ACQUIRE && m->ev[e].kind != EV_SEM_WAIT && !busy)
        return access_may(p, e);
    sync_touch(p, id);
    if (m->syncs[id].on == ON_SEM)
        return busy ? p->sem_level[id] == 0 : p->sem_level[id] > 0;
    bool shared = m->ev[e].detail & FLAG(SHARED);
    bool taken = p->lock_owner[id] != NONE || (!shared && p->lock_readers[id] > 0);
    return taken == busy;
}

/* Executes a sync event, or takes it back. */
static void sync_do(struct predictor *p, ev_id e, bool back)
{
    const struct model *m = p->m;
    unsigned kind = m->ev[e].kind;
    sync_id id = m->obj[e];
    sync_touch(p, id);
    if (kind == EV_SEM_POST || kind == EV_SEM_WAIT) {
        int64_t amount = kind == EV_SEM_POST ? (int64_t)m->link[e] : -1;
        p->sem_level[id] += back ? -amount : amount;
        CHECK(p->sem_level[id] >= 0);
        return;
    }
    ev_id acquire = kind == EV_ACQUIRE ? e : m->link[e];
    bool takes = (kind == EV_ACQUIRE) != back;
    CHECK(takes || p->lock_readers[id] > 0 || p->lock_owner[id] == m->ev[e].thr);
    if (m->ev[acquire].detail & FLAG(SHARED))
        p->lock_readers[id] += takes ? 1 : UINT32_MAX;
    else
        p->lock_owner[id] = takes ? m->ev[e].thr : NONE;
}

static bool is_counted(unsigned kind)
{
    return kind == EV_ACQUIRE || kind == EV_RELEASE || kind == EV_SEM_POST ||
           kind == EV_SEM_WAIT;
}

static void event_do(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    thr_id t = m->ev[e].thr;
    CHECK(p->ptr[t] == m->idx[e] && p->ptr[t] < p->w.b[t]);
    if (is_counted(m->ev[e].kind))
        sync_do(p, e, false);
    else
        access_do(p, e);
    p->state ^= mix(~(uint64_t)t, p->ptr[t]) ^ mix(~(uint64_t)t, p->ptr[t] + 1);
    p->ptr[t]++;
    vec_push(&p->order, e);
}

static void event_undo(struct predictor *p)
{
    const struct model *m = p->m;
    CHECK(p->order.len > 0);
    ev_id e = p->order.at[--p->order.len];
    thr_id t = m->ev[e].thr;
    p->ptr[t]--;
    CHECK(p->ptr[t] == m->idx[e]);
    p->state ^= mix(~(uint64_t)t, p->ptr[t]) ^ mix(~(uint64_t)t, p->ptr[t] + 1);
    if (is_counted(m->ev[e].kind))
        sync_do(p, e, true);
    else
        access_undo(p, e);
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
        if (p->goal[i] == e && ((p->adjacent >> i & 1) || (i && (p->adjacent >> (i - 1) & 1))))
            return i;
    return NONE;
}

/* Takes back the last step, all of it. */
static ev_id step_undo(struct predictor *p)
{
    CHECK(p->units.len > 0);
    uint32_t count = p->units.at[--p->units.len];
    CHECK(count > 0 && count <= p->order.len);
    ev_id first = p->order.at[p->order.len - count];
    while (count-- > 0)
        event_undo(p);
    return first;
}

/* Executes e, with what is adjacent to it; false if it cannot be now. */
static bool step(struct predictor *p, ev_id e)
{
    uint32_t at = chained(p, e), count = 1;
    if (at != NONE && at > 0 && (p->adjacent >> (at - 1) & 1))
        return false; /* not its first */
    if (!is_minimal(p, e) || !event_may(p, e))
        return false;
    event_do(p, e);
    for (; at != NONE && (p->adjacent >> at & 1); at++) {
        ev_id next = p->goal[at + 1];
        if (p->ptr[thread_of(p, next)] != p->m->idx[next] || !is_minimal(p, next) ||
            !event_may(p, next)) {
            while (count-- > 0)
                event_undo(p);
            return false;
        }
        event_do(p, next);
        count++;
    }
    vec_push(&p->units, count);
    return true;
}

/* The earliest thread head behind `tried` that can go next; false if there is none. */
static bool advance(struct predictor *p, ev_id tried)
{
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
        if (step(p, best))
            return true;
        tried = best;
    }
}

/* Tries the orders one after the other, the earliest event first; a state that led nowhere is
 * not looked at again. */
static bool order_search(struct predictor *p)
{
    uint32_t budget = ORDER_STEPS_MAX;
    ev_id tried = NONE;
    while (p->order.len < p->w.count) {
        bool dead = p->dead.len > 0 && map_find(&p->dead, p->state) != NONE;
        if (!dead && advance(p, tried)) {
            tried = NONE;
            continue;
        }
        if (!p->has_choices || p->units.len == 0)
            return false;
        if (budget-- == 0) {
            p->exhausted = true;
            return false;
        }
        *map_at(&p->dead, p->state) = 1;
        tried = step_undo(p);
    }
    return true;
}

bool linear_order(struct predictor *p)
{
    const struct window *w = &p->w;
    p->order.len = p->units.len = p->undo.len = 0;
    if (w->lo > w->hi)
        return true;
    p->stamp++;
    p->state = 0;
    memcpy(p->ptr, w->a, p->k * sizeof *p->ptr);
    bool found = order_search(p);
    for (thr_id t = 0; found && t < p->k; t++)
        CHECK(p->ptr[t] == w->b[t]);
    map_done(&p->dead);
    return found;
}

void linear_init(struct predictor *p)
{
    uint32_t cells = p->m->cell_count + 1, syncs = p->m->sync_count + 1;
    p->ptr = calloc(p->k + 1, sizeof *p->ptr);
    p->cell_stamp = calloc(cells, sizeof *p->cell_stamp);
    p->cell_left = calloc(cells, sizeof *p->cell_left);
    p->cell_holds = calloc(cells, sizeof *p->cell_holds);
    p->sync_stamp = calloc(syncs, sizeof *p->sync_stamp);
    p->lock_owner = calloc(syncs, sizeof *p->lock_owner);
    p->lock_readers = calloc(syncs, sizeof *p->lock_readers);
    p->sem_level = calloc(syncs, sizeof *p->sem_level);
    CHECK(p->ptr && p->cell_stamp && p->cell_left && p->cell_holds && p->sync_stamp &&
          p->lock_owner && p->lock_readers && p->sem_level);
}

void linear_done(struct predictor *p)
{
    void *parts[] = {p->ptr,        p->cell_stamp, p->cell_left,    p->cell_holds,
                     p->sync_stamp, p->lock_owner, p->lock_readers, p->sem_level};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    vec_done(&p->undo);
    vec_done(&p->units);
}
