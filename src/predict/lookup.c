/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup: who reads what a write wrote, and indices beside those of the model: the acquires of
 * a lock, which wait an event ends. Lists are in the order thread, program order, so that
 * everything is a binary search. */
#include "predict/engine.h"

#include <string.h>

uint32_t list_before(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                     uint32_t n)
{
    uint32_t low = 0, high = len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        thr_id of = m->ev[list[middle]].thr;
        if (of < t || (of == t && m->idx[list[middle]] < n))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ev_id list_last(const struct model *m, const ev_id *list, uint32_t len, thr_id t, uint32_t from,
                uint32_t n)
{
    uint32_t before = list_before(m, list, len, t, n);
    if (before == 0)
        return NONE;
    ev_id e = list[before - 1];
    return m->ev[e].thr == t && m->idx[e] >= from ? e : NONE;
}

ev_id list_first(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                 uint32_t from, uint32_t n)
{
    uint32_t at = list_before(m, list, len, t, from);
    if (at == len)
        return NONE;
    ev_id e = list[at];
    return m->ev[e].thr == t && m->idx[e] < n ? e : NONE;
}

ev_id last_acquire(const struct predictor *p, sync_id lock, thr_id t, uint32_t from, uint32_t n)
{
    uint32_t first = p->lock_first[lock];
    return list_last(p->m, p->lock_acquires + first, p->lock_first[lock + 1] - first, t, from,
                     n);
}

static ev_id in_locks(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n,
                      bool last)
{
    bool shared = p->m->ev[e].detail & FLAG(SHARED);
    sync_id lock = p->m->obj[e];
    const uint32_t *at = (shared ? p->exclusive_first : p->lock_first) + lock;
    const ev_id *list = (shared ? p->lock_exclusive : p->lock_acquires) + *at;
    return last ? list_last(p->m, list, at[1] - *at, t, from, n)
                : list_first(p->m, list, at[1] - *at, t, from, n);
}

ev_id last_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n)
{
    return in_locks(p, e, t, from, n, true);
}

ev_id first_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n)
{
    return in_locks(p, e, t, from, n, false);
}

uint32_t needs_of(const struct model *m, ev_id e)
{
    uint32_t low = 0, high = m->need_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->needs[middle].to < e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ev_id first_acquire(const struct predictor *p, sync_id lock, thr_id t, uint32_t from,
                    uint32_t n)
{
    uint32_t first = p->lock_first[lock];
    return list_first(p->m, p->lock_acquires + first, p->lock_first[lock + 1] - first, t, from,
                      n);
}

ev_id last_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n)
{
    uint32_t first = p->m->cell_first[c];
    return list_last(p->m, p->m->accesses + first, p->m->cell_reads[c] - first, t, from, n);
}

ev_id first_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n)
{
    uint32_t first = p->m->cell_first[c];
    return list_first(p->m, p->m->accesses + first, p->m->cell_reads[c] - first, t, from, n);
}

/* In a list by thread and program order: how many entries come before event e of thread t. */
static uint32_t list_before_event(const struct model *m, const ev_id *list, uint32_t len,
                                  thr_id t, ev_id e)
{
    uint32_t low = 0, high = len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        thr_id of = m->ev[list[middle]].thr;
        if (of < t || (of == t && list[middle] < e))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first write of the cell in the trace at or behind e, or NONE. */
static ev_id next_write(const struct predictor *p, cell_id c, ev_id e)
{
    const struct model *m = p->m;
    const ev_id *list = m->accesses + m->cell_first[c];
    uint32_t len = m->cell_reads[c] - m->cell_first[c];
    ev_id next = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t at = list_before_event(m, list, len, t, e);
        if (at < len && m->ev[list[at]].thr == t && list[at] < next)
            next = list[at];
    }
    return next;
}

/* An update sees what it replaces. */
struct readers readers_of(const struct predictor *p, cell_id c, ev_id w)
{
    const struct model *m = p->m;
    struct readers r = {.list = m->accesses + m->cell_reads[c],
                        .len = m->cell_first[c + 1] - m->cell_reads[c],
                        .from = w == NONE ? 0 : w + 1};
    ev_id next = r.len ? next_write(p, c, r.from) : NONE;
    r.end = next == NONE ? NONE : next + 1;
    return r;
}

/* Where the readers of thread t from the idx given on begin in the list. */
static uint32_t readers_before(const struct predictor *p, const struct readers *r, thr_id t,
                               uint32_t idx)
{
    const struct model *m = p->m;
    ev_id e = idx < m->threads[t].len ? model_at(m, t, idx) : NONE;
    e = e < r->from ? r->from : e;
    return list_before_event(m, r->list, r->len, t, e < r->end ? e : r->end);
}

uint32_t readers_count(const struct predictor *p, const struct readers *r, thr_id t,
                       uint32_t from, uint32_t n)
{
    return from < n ? readers_before(p, r, t, n) - readers_before(p, r, t, from) : 0;
}

ev_id readers_last(const struct predictor *p, const struct readers *r, thr_id t, uint32_t from,
                   uint32_t n)
{
    const struct model *m = p->m;
    uint32_t before = from < n ? readers_before(p, r, t, n) : 0;
    if (before == 0)
        return NONE;
    ev_id e = r->list[before - 1];
    return m->ev[e].thr == t && e >= r->from && m->idx[e] >= from ? e : NONE;
}

const struct wait *wait_ended_by(const struct predictor *p, ev_id e)
{
    uint32_t at = map_find(&p->wait_of, e);
    return at == NONE ? NULL : &p->m->waits[at];
}

/* ---- building -------------------------------------------------------------------------- */

/* From counts to where each part ends; filling backwards then leaves where it starts. */
static void sum(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        first[i] += first[i - 1];
}

static uint32_t *counts(uint32_t count)
{
    uint32_t *c = calloc((size_t)count + 2, sizeof *c);
    CHECK(c);
    return c;
}

static void index_locks(struct predictor *p)
{
    const struct model *m = p->m;
    p->lock_first = counts(m->sync_count);
    p->lock_acquires = mem_get((m->acquire_count + 1) * sizeof *p->lock_acquires);
    for (uint32_t i = 0; i < m->acquire_count; i++)
        p->lock_first[m->obj[m->acquires[i]]]++;
    sum(p->lock_first, m->sync_count + 1);
    for (uint32_t i = m->acquire_count; i-- > 0;) /* they are by thread, program order */
        p->lock_acquires[--p->lock_first[m->obj[m->acquires[i]]]] = m->acquires[i];
}

/* Most traces have no shared acquires: then one list is enough. */
static void index_exclusive(struct predictor *p)
{
    const struct model *m = p->m;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->acquire_count; i++)
        count += !(m->ev[m->acquires[i]].detail & FLAG(SHARED));
    p->exclusive_first = p->lock_first;
    p->lock_exclusive = p->lock_acquires;
    if (count == m->acquire_count)
        return;
    p->exclusive_first = counts(m->sync_count);
    p->lock_exclusive = mem_get((count + 1) * sizeof *p->lock_exclusive);
    count = 0;
    for (sync_id s = 0; s < m->sync_count; s++) {
        p->exclusive_first[s] = count;
        for (uint32_t i = p->lock_first[s]; i < p->lock_first[s + 1]; i++)
            if (!(m->ev[p->lock_acquires[i]].detail & FLAG(SHARED)))
                p->lock_exclusive[count++] = p->lock_acquires[i];
    }
    p->exclusive_first[m->sync_count] = count;
}

static void index_waits(struct predictor *p)
{
    for (uint32_t i = 0; i < p->m->wait_count; i++) {
        const struct wait *w = &p->m->waits[i];
        ev_id end = w->acquire != NONE ? w->acquire : w->leave;
        if (end != NONE)
            *map_at(&p->wait_of, end) = i;
    }
}

void lookup_init(struct predictor *p)
{
    const struct model *m = p->m;
    p->create = mem_get((m->thread_count + 1) * sizeof *p->create);
    for (thr_id t = 0; t < m->thread_count; t++) {
        ev_id create = m->threads[t].create;
        bool before = create != NONE && (m->threads[t].len == 0 || create < model_at(m, t, 0));
        p->create[t] = before ? create : NONE;
    }
    index_locks(p);
    index_exclusive(p);
    index_waits(p);
}

void lookup_done(struct predictor *p)
{
    if (p->exclusive_first != p->lock_first) {
        free(p->exclusive_first);
        free(p->lock_exclusive);
    }
    void *parts[] = {p->create, p->lock_first, p->lock_acquires};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    map_done(&p->wait_of);
}
