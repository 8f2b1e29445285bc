/* SPDX-License-Identifier: Apache-2.0
 *
 * prefix: prefix clocks, in one pass over the trace (SEQCHECK 6). For each place in each
 * thread, which events of the other threads must have happened for it to be there, and which
 * reads must have seen what they saw.
 *
 * must is what the thread's events so far need. pending is what they would need if the
 * thread's reads since its last branch had to be firm too. */
#include "predict/engine.h"

#include "base/search.h"
#include "base/stop.h"

#include <string.h>

struct pass {
    struct predictor *p;
    struct prefix *x;
    const struct model *m;
    uint32_t k;
    uint32_t *must, *pending; /* a cut for each thread */
    bool *has_pending;        /* by thread */
    bool must_changed, pending_changed;
    uint32_t need; /* the next of the model's needs */
    cut scratch, entry;
};

/* ---- looking up ------------------------------------------------------------------------ */

/* The last mark with mark.p <= n, or NULL. */
static const struct mark *mark_between(const struct mark *at, uint32_t low, uint32_t high,
                                       uint32_t n)
{
    uint32_t behind = SEARCH(i, low, high, at[i].p <= n);
    return behind ? &at[behind - 1] : NULL;
}

static const struct mark *mark_at(const struct mark *at, uint32_t len, uint32_t n)
{
    return mark_between(at, 0, len, n);
}

/* The same while marks are made: what is asked for is most often near the end. */
static const struct mark *mark_near_end(const struct mark *at, uint32_t len, uint32_t n)
{
    uint32_t back = 1;
    while (back < len && at[len - back].p > n)
        back *= 2;
    return mark_between(at, back < len ? len - back : 0, len, n);
}

static inline void raise_to(uint32_t *at, uint32_t value)
{
    if (*at < value)
        *at = value;
}

/* In classic a thread's reads are firm but for the last one or to the end; so are they in
 * every cut. One number says both. */
static bool is_packed(const struct prefix *x)
{
    return x->mode == MODE_CLASSIC || x->mode == MODE_SYNC;
}

static uint32_t entry_size(const struct prefix *x)
{
    return is_packed(x) ? x->thread_count : 2 * x->thread_count;
}

static void entry_join(const struct prefix *x, uint32_t at, cut into)
{
    uint32_t k = x->thread_count, size = entry_size(x);
    const uint32_t *from = x->pool.at + (size_t)at * size;
    if (!is_packed(x)) {
        for (uint32_t i = 0; i < 2 * k; i++)
            raise_to(&into[i], from[i]);
        return;
    }
    for (uint32_t i = 0; i < k; i++)
        raise_to(&into[i], from[i] >> 1);
    for (uint32_t i = 0; x->mode == MODE_CLASSIC && i < k; i++)
        raise_to(&into[k + i], (from[i] >> 1) + (from[i] & 1));
}

typedef const struct mark *(*mark_fn)(const struct mark *at, uint32_t len, uint32_t n);

static inline void join_found(const struct prefix *x, thr_id t, uint32_t n, bool full, cut into,
                              mark_fn find)
{
    uint32_t k = x->thread_count;
    CHECK(t < k);
    const marks *list =
        full && x->mode != MODE_PAPER && x->mode != MODE_SYNC ? &x->full[t] : &x->must[t];
    const struct mark *mark = find(list->at, list->len, n);
    if (mark)
        entry_join(x, mark->at, into);
    raise_to(&into[t], n);
    if (x->mode == MODE_SYNC)
        return;
    if (full)
        raise_to(&into[k + t], n + 1);
    else if (x->mode == MODE_CLASSIC)
        raise_to(&into[k + t], n);
    else if ((mark = find(x->firm[t].at, x->firm[t].len, n)))
        raise_to(&into[k + t], mark->at);
}

void prefix_join(const struct prefix *x, thr_id t, uint32_t n, bool full, cut into)
{
    join_found(x, t, n, full, into, mark_at);
}

static void join_recent(const struct prefix *x, thr_id t, uint32_t n, bool full, cut into)
{
    join_found(x, t, n, full, into, mark_near_end);
}

uint32_t prefix_place(const struct prefix *x, thr_id t, uint32_t n)
{
    const struct mark *mark = mark_at(x->must[t].at, x->must[t].len, n);
    return mark ? mark->at : NONE;
}

uint32_t prefix_entry(const struct prefix *x, uint32_t at, thr_id of)
{
    CHECK(of < x->thread_count && ((size_t)at + 1) * entry_size(x) <= x->pool.len);
    uint32_t value = x->pool.at[(size_t)at * entry_size(x) + of];
    return is_packed(x) ? value >> 1 : value;
}

uint32_t prefix_first(const struct prefix *x, thr_id t, thr_id of, uint32_t n)
{
    const marks *list = &x->must[t];
    uint32_t low = SEARCH(i, 0, list->len, prefix_entry(x, list->at[i].at, of) < n);
    return low < list->len ? list->at[low].p : NONE;
}

const uint32_t *prefix_row(const struct prefix *x, uint32_t at, unsigned *shift)
{
    *shift = is_packed(x);
    CHECK(((size_t)at + 1) * entry_size(x) <= x->pool.len);
    return x->pool.at + (size_t)at * entry_size(x);
}

uint32_t prefix_must(const struct prefix *x, thr_id t, uint32_t n, thr_id of)
{
    const struct mark *mark = mark_at(x->must[t].at, x->must[t].len, n);
    return of == t ? n : mark ? prefix_entry(x, mark->at, of) : 0;
}

/* ---- the pass -------------------------------------------------------------------------- */

static cut must_of(struct pass *s, thr_id t)
{
    return s->must + (size_t)t * 2 * s->k;
}

static cut pending_of(struct pass *s, thr_id t)
{
    return s->pending + (size_t)t * 2 * s->k;
}

static bool join(uint32_t count, const uint32_t *from, cut into)
{
    bool changed = false;
    for (uint32_t i = 0; i < count; i++)
        if (into[i] < from[i]) {
            into[i] = from[i];
            changed = true;
        }
    return changed;
}

static void entry_make(const struct prefix *x, const uint32_t *a, const uint32_t *b,
                       uint32_t *out)
{
    uint32_t k = x->thread_count;
    for (uint32_t i = 0; i < 2 * k; i++)
        out[i] = b && b[i] > a[i] ? b[i] : a[i];
    for (uint32_t i = 0; is_packed(x) && i < k; i++) {
        CHECK(x->mode == MODE_SYNC || out[k + i] - out[i] <= 1);
        out[i] = out[i] << 1 | (x->mode == MODE_CLASSIC && out[k + i] > out[i]);
    }
}

/* What an entry says of its own thread does not matter: the place is known. */
static bool entry_is(const struct prefix *x, uint32_t at, const uint32_t *entry, thr_id t)
{
    uint32_t k = x->thread_count, size = entry_size(x);
    const uint32_t *old = x->pool.at + (size_t)at * size;
    for (uint32_t i = 0; i < size; i++)
        if (old[i] != entry[i] && i != t && i != k + t)
            return false;
    return true;
}

static uint32_t entry_add(struct prefix *x, const uint32_t *entry)
{
    uint32_t size = entry_size(x), at = x->pool.len / size;
    CHECK((uint64_t)x->pool.len + size < UINT32_MAX);
    vec_reserve(&x->pool, x->pool.len + size);
    memcpy(x->pool.at + x->pool.len, entry, size * sizeof *entry);
    x->pool.len += size;
    return at;
}

/* Most often it is what the thread needed with its pending reads, a moment ago. */
static void mark_add(struct pass *s, marks *list, thr_id t, const uint32_t *b, uint32_t p)
{
    struct prefix *x = s->x;
    const marks *full = &x->full[t];
    uint32_t last = full->len ? full->at[full->len - 1].at : NONE;
    entry_make(x, must_of(s, t), b, s->entry);
    bool same = last != NONE && entry_is(x, last, s->entry, t);
    if (same && list == full)
        return;
    vec_push(list, (struct mark){p, same ? last : entry_add(x, s->entry)});
}

/* What was pending becomes a must: the reads have to be firm now. */
static void settle(struct pass *s, thr_id t)
{
    if (!s->has_pending[t])
        return;
    s->must_changed |= join(2 * s->k, pending_of(s, t), must_of(s, t));
    memset(pending_of(s, t), 0, 2 * s->k * sizeof(uint32_t));
    s->has_pending[t] = false;
}

static void own_firm(struct pass *s, thr_id t, uint32_t p, uint32_t firm)
{
    if (s->x->mode != MODE_SYNC && s->x->mode != MODE_CLASSIC)
        vec_push(&s->x->firm[t], (struct mark){p, firm});
    raise_to(&must_of(s, t)[s->k + t], firm);
}

/* Does the value of a write depend on the reads before it? Then they have to be firm. */
static bool is_full(const struct pass *s, ev_id w)
{
    return s->x->mode == MODE_SOUND ||
           (s->x->mode == MODE_CLASSIC && s->m->ev[w].kind == EV_RMW);
}

/* Cuts are closed: one that has write w, firm as it has to be, has all that w needs. */
static inline bool has_write(const struct pass *s, const uint32_t *c, ev_id w)
{
    const struct model *m = s->m;
    thr_id by = m->ev[w].thr;
    uint32_t idx = m->idx[w];
    return c[by] > idx && (!is_full(s, w) || c[s->k + by] > idx + (m->ev[w].kind == EV_RMW));
}

/* To see write w as it was: w, and what its value depends on. */
static void see(struct pass *s, thr_id t, ev_id w)
{
    const struct model *m = s->m;
    thr_id by = m->ev[w].thr;
    bool update = m->ev[w].kind == EV_RMW;
    if (by == t || has_write(s, must_of(s, t), w) || has_write(s, pending_of(s, t), w))
        return;
    bool full = is_full(s, w);
    memset(s->scratch, 0, 2 * s->k * sizeof(uint32_t));
    join_recent(s->x, by, m->idx[w] + 1, false, s->scratch);
    if (full) {
        cut value = s->scratch; /* firm up to w, and w too if it reads what it writes */
        join_recent(s->x, by, m->idx[w], true, value);
        if (update)
            join_recent(s->x, by, m->idx[w] + 1, true, value);
    }
    if (join(2 * s->k, s->scratch, pending_of(s, t)))
        s->pending_changed = s->has_pending[t] = true;
}

static void add_read(struct pass *s, ev_id e)
{
    struct span cells = model_cells(s->m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        ev_id w = model_source(s->m, e, c);
        if (w != NONE)
            see(s, s->m->ev[e].thr, w);
    }
}

static void add_create(struct pass *s, ev_id e)
{
    thr_id parent = s->m->ev[e].thr, child = s->m->obj[e];
    if (s->p->create[child] != e)
        return;
    join_recent(s->x, parent, s->m->idx[e] + 1, false, must_of(s, child));
    join(2 * s->k, must_of(s, parent), must_of(s, child));
    mark_add(s, &s->x->must[child], child, NULL, 0);
    if (s->x->mode == MODE_SOUND) {
        join_recent(s->x, parent, s->m->idx[e], true, pending_of(s, child));
        join(2 * s->k, pending_of(s, parent), pending_of(s, child));
        s->has_pending[child] = true;
    }
    if (s->x->mode == MODE_SOUND || s->x->mode == MODE_CLASSIC)
        mark_add(s, &s->x->full[child], child, pending_of(s, child), 0);
}

static void add_join(struct pass *s, ev_id e)
{
    thr_id t = s->m->ev[e].thr, ended = s->m->obj[e];
    cut into = must_of(s, t);
    s->must_changed |= join(2 * s->k, must_of(s, ended), into);
    if (s->x->mode != MODE_SYNC)
        s->must_changed |= join(2 * s->k, pending_of(s, ended), into);
    raise_to(&into[ended], s->m->threads[ended].len);
    if (s->x->mode != MODE_SYNC)
        raise_to(&into[s->k + ended], s->m->threads[ended].len + 1);
    s->must_changed = true;
}

/* What must have happened before e for another reason than its thread's own events. */
static void add_after(struct pass *s, ev_id e, ev_id before)
{
    memset(s->scratch, 0, 2 * s->k * sizeof(uint32_t));
    join_recent(s->x, s->m->ev[before].thr, s->m->idx[before] + 1, false, s->scratch);
    s->must_changed |= join(2 * s->k, s->scratch, must_of(s, s->m->ev[e].thr));
}

static void add_wake(struct pass *s, ev_id e)
{
    const struct wait *w = wait_ended_by(s->p, e);
    if (w && w->notify != NONE)
        add_after(s, e, w->notify);
}

/* Must a thread be on the recorded path to do this? What it tells others depends on that. */
static bool is_decision(unsigned kind)
{
    return kind == EV_BRANCH || kind == EV_CAS || kind == EV_CHANNEL_WRITE || kind == EV_CHANGE;
}

static void add_event(struct pass *s, ev_id e)
{
    const struct model *m = s->m;
    thr_id t = m->ev[e].thr;
    uint32_t p = m->idx[e];
    unsigned kind = m->ev[e].kind;
    bool data = s->x->mode != MODE_SYNC;
    s->must_changed = s->pending_changed = false;
    if (s->x->mode == MODE_CLASSIC)
        settle(s, t);
    if (data && model_reads(m, e))
        add_read(s, e);
    if (data && is_decision(kind)) {
        settle(s, t);
        own_firm(s, t, p + 1, p + 1 + (kind == EV_CAS));
    }
    if (kind == EV_JOIN)
        add_join(s, e);
    if (kind == EV_ACQUIRE || kind == EV_WAIT_LEAVE || kind == EV_FUTEX_WAIT)
        add_wake(s, e);
    for (; s->need < m->need_count && m->needs[s->need].to == e; s->need++)
        add_after(s, e, m->needs[s->need].from);
    raise_to(&must_of(s, t)[t], p + 1);
    if (s->x->mode == MODE_CLASSIC)
        raise_to(&must_of(s, t)[s->k + t], p + 1);
    if (s->must_changed)
        mark_add(s, &s->x->must[t], t, NULL, p + 1);
    if ((s->must_changed || s->pending_changed) &&
        (s->x->mode == MODE_SOUND || s->x->mode == MODE_CLASSIC))
        mark_add(s, &s->x->full[t], t, pending_of(s, t), p + 1);
    if (kind == EV_CREATE)
        add_create(s, e);
}

/* Most events need nothing of other threads that theirs did not need before. */
static inline bool adds_nothing(struct pass *s, ev_id e)
{
    const struct model *m = s->m;
    struct row r = m->ev[e];
    cut must = must_of(s, r.thr);
    if (r.kind > EV_WRITE && r.kind != EV_RELEASE && (r.kind != EV_ACQUIRE || m->wait_count))
        return false;
    if ((s->need < m->need_count && m->needs[s->need].to == e) ||
        (s->has_pending[r.thr] && s->x->mode == MODE_CLASSIC))
        return false;
    if (r.kind == EV_READ) {
        ev_id w = m->link[e];
        if (m->obj[e] >= m->cell_count ||
            (w != NONE && m->ev[w].thr != r.thr && !has_write(s, must, w)))
            return false;
    }
    must[r.thr] = m->idx[e] + 1;
    if (s->x->mode == MODE_CLASSIC)
        raise_to(&must[s->k + r.thr], m->idx[e] + 1);
    return true;
}

enum { LOOK_EVERY = 1 << 16 }; /* events, between two looks whether we are to end */

static void pass_init(struct pass *s, struct predictor *p, struct prefix *x, enum mode mode)
{
    uint32_t k = p->k;
    x->thread_count = k;
    x->mode = mode;
    x->must = mem_zeroed(k + 1, sizeof *x->must);
    x->full = mem_zeroed(k + 1, sizeof *x->full);
    x->firm = mem_zeroed(k + 1, sizeof *x->firm);
    *s = (struct pass){.p = p, .x = x, .m = p->m, .k = k};
    s->must = mem_zeroed((size_t)k * 2 * k + 1, sizeof *s->must);
    s->pending = mem_zeroed((size_t)k * 2 * k + 1, sizeof *s->pending);
    s->has_pending = mem_zeroed(k + 1, sizeof *s->has_pending);
    s->scratch = mem_zeroed(2 * k + 1, sizeof *s->scratch);
    s->entry = mem_zeroed(2 * k + 1, sizeof *s->entry);
}

static void pass_done(struct pass *s)
{
    struct prefix *x = s->x;
    free(s->must);
    free(s->pending);
    free(s->has_pending);
    free(s->scratch);
    free(s->entry);
    x->pool.at = mem_resize(x->pool.at, (x->pool.len + 1) * sizeof *x->pool.at);
    x->pool.cap = x->pool.len + 1;
}

/* Does an event matter where data does not? */
static bool is_sync(const struct pass *s, ev_id e)
{
    unsigned kind = s->m->ev[e].kind;
    return kind == EV_JOIN || kind == EV_CREATE || kind == EV_ACQUIRE ||
           kind == EV_WAIT_LEAVE || kind == EV_FUTEX_WAIT ||
           (s->need < s->m->need_count && s->m->needs[s->need].to == e);
}

void prefix_init(struct predictor *p)
{
    struct pass own, sync;
    bool data = p->mode != MODE_SYNC;
    pass_init(&own, p, &p->prefix, p->mode);
    if (data)
        pass_init(&sync, p, &p->sync, MODE_SYNC);
    for (ev_id e = 0; e < p->m->ev_count && !p->is_cut; e++) {
        p->is_cut = e % LOOK_EVERY == 0 && stop_came();
        if (data ? adds_nothing(&own, e) : !is_sync(&own, e))
            continue;
        add_event(&own, e);
        if (data && is_sync(&sync, e))
            add_event(&sync, e);
    }
    pass_done(&own);
    if (data)
        pass_done(&sync);
}

void prefix_done(struct prefix *x)
{
    for (thr_id t = 0; x->must && t < x->thread_count; t++) {
        vec_done(&x->must[t]);
        vec_done(&x->full[t]);
        vec_done(&x->firm[t]);
    }
    free(x->must);
    free(x->full);
    free(x->firm);
    vec_done(&x->pool);
}
