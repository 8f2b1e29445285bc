/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup: who reads what a write wrote, and indices beside those of the model: the acquires of
 * a lock, which wait an event ends. Lists are in the order thread, program order, so that
 * everything is a binary search. */
#include "predict/engine.h"

#include "base/search.h"

#include <string.h>

/* A list by thread and program order, and where each thread's part begins in it (NULL: to be
 * found out). Places in a thread compare as events do. */
struct list {
    const ev_id *at;
    uint32_t len;
    const uint32_t *starts;
};

enum { LONG_LIST = 32 }; /* entries by thread; such a list is worth a table of starts */

/* Behind so many events of the thread no event of it has a smaller number. */
static ev_id event_at(const struct model *m, thr_id t, uint32_t n)
{
    if (n == 0)
        return 0;
    return n < m->threads[t].len ? model_at(m, t, n) : NONE;
}

enum { NEAR = 8 }; /* entries */

/* Of the entries at[low .. high), which ascend: the first that is not less than e. A thread
 * comes to a list about evenly as a rule: where e should be is looked first, and around
 * there. */
static uint32_t first_from(const ev_id *at, uint32_t low, uint32_t high, ev_id e)
{
    if (high - low > 2 * NEAR && at[low] < e && e <= at[high - 1]) {
        uint64_t part = (uint64_t)(e - at[low]) * (high - 1 - low) / (at[high - 1] - at[low]);
        uint32_t guess = low + (uint32_t)part, reach = NEAR;
        bool behind = at[guess] < e;
        low = behind ? guess + 1 : low;
        high = behind ? high : guess;
        for (; behind && low + reach < high && at[low + reach] < e; reach *= 4)
            low += reach + 1;
        for (; !behind && high - low > reach && at[high - reach] >= e; reach *= 4)
            high -= reach;
        if (behind && low + reach < high)
            high = low + reach;
        else if (!behind && high - low > reach)
            low = high - reach;
    }
    return SEARCH(i, low, high, at[i] < e);
}

/* How many entries come before those of thread t from event e on. */
static uint32_t before_event(const struct model *m, const struct list *l, thr_id t, ev_id e)
{
    if (l->starts)
        return first_from(l->at, l->starts[t], l->starts[t + 1], e);
    return SEARCH(i, 0, l->len,
                  m->ev[l->at[i]].thr < t || (m->ev[l->at[i]].thr == t && l->at[i] < e));
}

static ev_id last_in(const struct model *m, const struct list *l, thr_id t, uint32_t from,
                     uint32_t n)
{
    uint32_t before = before_event(m, l, t, event_at(m, t, n));
    if (before == (l->starts ? l->starts[t] : 0))
        return NONE;
    ev_id e = l->at[before - 1];
    return m->ev[e].thr == t && m->idx[e] >= from ? e : NONE;
}

static ev_id first_in(const struct model *m, const struct list *l, thr_id t, uint32_t from,
                      uint32_t n)
{
    uint32_t at = before_event(m, l, t, event_at(m, t, from));
    if (at == (l->starts ? l->starts[t + 1] : l->len))
        return NONE;
    ev_id e = l->at[at];
    return m->ev[e].thr == t && m->idx[e] < n ? e : NONE;
}

uint32_t list_before(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                     uint32_t n)
{
    return before_event(m, &(struct list){list, len, NULL}, t, event_at(m, t, n));
}

ev_id list_last(const struct model *m, const ev_id *list, uint32_t len, thr_id t, uint32_t from,
                uint32_t n)
{
    return last_in(m, &(struct list){list, len, NULL}, t, from, n);
}

ev_id list_first(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                 uint32_t from, uint32_t n)
{
    return first_in(m, &(struct list){list, len, NULL}, t, from, n);
}

/* ---- lists of the trace ----------------------------------------------------------------- */

enum list_kind { LIST_WRITES, LIST_READS, LIST_LOCK, LIST_EXCLUSIVE };

static uint64_t starts_key(enum list_kind kind, uint32_t of)
{
    return (uint64_t)kind << 32 | of;
}

static struct list list_of(const struct predictor *p, const ev_id *at, uint32_t len,
                           enum list_kind kind, uint32_t of)
{
    struct list l = {at, len, NULL};
    if (len >= LONG_LIST * p->k) {
        uint32_t starts = map_find(&p->starts_of, starts_key(kind, of));
        l.starts = starts == NONE ? NULL : p->starts.at + starts;
    }
    return l;
}

static struct list writes_of(const struct predictor *p, cell_id c)
{
    uint32_t first = p->m->cell_first[c];
    return list_of(p, p->m->accesses + first, p->m->cell_reads[c] - first, LIST_WRITES, c);
}

static struct list reads_of(const struct predictor *p, cell_id c)
{
    uint32_t first = p->m->cell_reads[c];
    return list_of(p, p->m->accesses + first, p->m->cell_first[c + 1] - first, LIST_READS, c);
}

static struct list acquires_of(const struct predictor *p, sync_id lock)
{
    uint32_t first = p->lock_first[lock];
    return list_of(p, p->lock_acquires + first, p->lock_first[lock + 1] - first, LIST_LOCK,
                   lock);
}

static struct list exclusive_of(const struct predictor *p, sync_id lock)
{
    uint32_t first = p->exclusive_first[lock];
    return list_of(p, p->lock_exclusive + first, p->exclusive_first[lock + 1] - first,
                   LIST_EXCLUSIVE, lock);
}

static void add_starts(struct predictor *p, struct list l, enum list_kind kind, uint32_t of)
{
    if (l.len < LONG_LIST * p->k)
        return;
    uint32_t first = p->starts.len;
    for (thr_id t = 0; t <= p->k; t++)
        vec_push(&p->starts, before_event(p->m, &l, t, 0));
    *map_at(&p->starts_of, starts_key(kind, of)) = first;
}

static void index_starts(struct predictor *p)
{
    for (cell_id c = 0; c < p->m->cell_count; c++) {
        add_starts(p, writes_of(p, c), LIST_WRITES, c);
        add_starts(p, reads_of(p, c), LIST_READS, c);
    }
    for (sync_id s = 0; s < p->m->sync_count; s++) {
        add_starts(p, acquires_of(p, s), LIST_LOCK, s);
        add_starts(p, exclusive_of(p, s), LIST_EXCLUSIVE, s);
    }
}

ev_id last_acquire(const struct predictor *p, sync_id lock, thr_id t, uint32_t from, uint32_t n)
{
    CHECK(lock < p->m->sync_count && t < p->k);
    struct list l = acquires_of(p, lock);
    return last_in(p->m, &l, t, from, n);
}

static struct list rivals_of(const struct predictor *p, ev_id e)
{
    bool shared = p->m->ev[e].detail & FLAG(SHARED);
    return shared ? exclusive_of(p, p->m->obj[e]) : acquires_of(p, p->m->obj[e]);
}

ev_id last_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n)
{
    CHECK(p->m->obj[e] < p->m->sync_count);
    struct list l = rivals_of(p, e);
    return last_in(p->m, &l, t, from, n);
}

ev_id first_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n)
{
    CHECK(p->m->obj[e] < p->m->sync_count);
    struct list l = rivals_of(p, e);
    return first_in(p->m, &l, t, from, n);
}

ev_id last_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n)
{
    CHECK(c < p->m->cell_count && t < p->k);
    struct list l = writes_of(p, c);
    return last_in(p->m, &l, t, from, n);
}

ev_id first_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n)
{
    CHECK(c < p->m->cell_count && t < p->k);
    struct list l = writes_of(p, c);
    return first_in(p->m, &l, t, from, n);
}

/* ---- a thread's accesses ----------------------------------------------------------------- */

struct lane lane_of(const struct predictor *p, cell_id c, thr_id t, bool writes)
{
    CHECK(c < p->m->cell_count && t < p->k);
    struct list l = writes ? writes_of(p, c) : reads_of(p, c);
    if (l.starts)
        return (struct lane){l.at, l.starts[t], l.starts[t + 1]};
    return (struct lane){l.at, before_event(p->m, &l, t, 0), before_event(p->m, &l, t + 1, 0)};
}

struct lane_place lane_before(const struct lane *x, ev_id e)
{
    CHECK(x->first <= x->end);
    return (struct lane_place){*x, first_from(x->at, x->first, x->end, e)};
}

ev_id lanes_on(struct lanes *x)
{
    struct lane_place *w = &x->writes, *r = &x->reads;
    ev_id write = w->at < w->in.end ? w->in.at[w->at] : NONE;
    ev_id read = r->at < r->in.end ? r->in.at[r->at] : NONE;
    ev_id e = write < read ? write : read;
    w->at += e != NONE && write == e;
    r->at += e != NONE && read == e;
    return e;
}

ev_id lanes_back(struct lanes *x)
{
    struct lane_place *w = &x->writes, *r = &x->reads;
    bool writes = w->at > w->in.first, reads = r->at > r->in.first;
    ev_id write = writes ? w->in.at[w->at - 1] : 0, read = reads ? r->in.at[r->at - 1] : 0;
    if (!writes && !reads)
        return NONE;
    ev_id e = write > read ? write : read;
    w->at -= writes && write == e;
    r->at -= reads && read == e;
    return e;
}

static uint32_t pairs_from(const struct need *at, uint32_t count, ev_id to)
{
    return SEARCH(i, 0, count, at[i].to < to);
}

uint32_t needs_of(const struct model *m, ev_id e)
{
    return pairs_from(m->needs, m->need_count, e);
}

uint32_t bars_of(const struct model *m, ev_id e)
{
    return pairs_from(m->bars, m->bar_count, e);
}

/* ---- who sees a write -------------------------------------------------------------------- */

/* The first write of the cell in the trace at or behind e, or NONE. */
static ev_id next_write(const struct predictor *p, cell_id c, ev_id e)
{
    struct list l = writes_of(p, c);
    ev_id next = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t at = before_event(p->m, &l, t, e);
        if (at < l.len && l.at[at] < next && p->m->ev[l.at[at]].thr == t)
            next = l.at[at];
    }
    return next;
}

/* An update sees what it replaces. */
struct readers readers_of(const struct predictor *p, cell_id c, ev_id w)
{
    CHECK(c < p->m->cell_count);
    CHECK(w == NONE || model_writes(p->m, w));
    struct list l = reads_of(p, c);
    struct readers r = {
        .list = l.at, .len = l.len, .starts = l.starts, .from = w == NONE ? 0 : w + 1};
    ev_id next = r.len ? next_write(p, c, r.from) : NONE;
    r.end = next == NONE ? NONE : next + 1;
    return r;
}

/* Where the readers of thread t from the idx given on begin in the list. */
static uint32_t readers_before(const struct predictor *p, const struct readers *r, thr_id t,
                               uint32_t idx)
{
    ev_id e = event_at(p->m, t, idx);
    e = e < r->from ? r->from : e;
    return before_event(p->m, &(struct list){r->list, r->len, r->starts}, t,
                        e < r->end ? e : r->end);
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
    return e >= r->from && m->ev[e].thr == t && m->idx[e] >= from ? e : NONE;
}

const struct wait *wait_ended_by(const struct predictor *p, ev_id e)
{
    CHECK(e < p->m->ev_count);
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
    index_starts(p);
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
    map_done(&p->starts_of);
    vec_done(&p->starts);
}
