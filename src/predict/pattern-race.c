/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-race: two accesses of different threads to one cell, one of them a write, not both
 * atomic. Accesses that share several cells are asked about at the first of them. */
#include "predict/engine.h"

static bool is_atomic(const struct model *m, ev_id e)
{
    return m->ev[e].kind >= EV_ATOMIC_LOAD && m->ev[e].kind <= EV_CAS;
}

static bool first_shared(const struct model *m, ev_id a, ev_id b, cell_id c)
{
    cell_id x = model_cells(m, a).first, y = model_cells(m, b).first;
    return c == (x > y ? x : y);
}

static void ask(struct predictor *p, ev_id a, ev_id b, cell_id c, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    if (m->ev[a].thr == m->ev[b].thr || (is_atomic(m, a) && is_atomic(m, b)) ||
        !first_shared(m, a, b, c))
        return;
    struct predicted x = {.pattern = &pattern_race, .query = {.kind = QUERY_RACE, .count = 2}};
    x.query.number[0] = model_number(m, a < b ? a : b);
    x.query.number[1] = model_number(m, a < b ? b : a);
    ask_later(p, &x, found, arg);
}

static void list(struct predictor *p, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    for (cell_id c = 0; c < m->cell_count; c++)
        for (uint32_t i = m->cell_first[c]; i < m->cell_reads[c]; i++) {
            for (uint32_t j = i + 1; j < m->cell_reads[c]; j++)
                ask(p, m->accesses[i], m->accesses[j], c, found, arg);
            for (uint32_t j = m->cell_reads[c]; j < m->cell_first[c + 1]; j++)
                if (!model_writes(m, m->accesses[j]))
                    ask(p, m->accesses[i], m->accesses[j], c, found, arg);
        }
}

/* ---- the everyday search --------------------------------------------------------------- */

/* The last read or write of a cell by a thread: how many events the thread had then done, 0 if
 * there is none yet, and what it held. */
struct last {
    uint32_t done, locks;
};

/* Where a thread is. */
struct stand {
    uint32_t mark;         /* so many of its prefix clocks have come into force */
    const uint32_t *needs; /* by thread: the last of them; NULL: none */
    uint32_t locks;        /* what it holds ... */
    bool is_old;           /* ... unless it has taken or released some since */
};

struct race_scan {
    struct scan *s;
    struct last *last; /* by cell, thread: its last read and its last write */
    struct stand *stands;
    unsigned shift; /* of needs */
};

/* What frees has patterns of its own. */
static bool is_race(const struct scan *s, ev_id before, ev_id e)
{
    const struct model *m = s->p->m;
    return !(is_atomic(m, before) && is_atomic(m, e)) && m->ev[before].kind != EV_FREE &&
           m->ev[e].kind != EV_FREE && !intent_ignores(s->intent, before) &&
           !intent_ignores(s->intent, e);
}

static void consider(struct scan *s, ev_id before, ev_id e)
{
    struct predictor *p = s->p;
    if (!is_race(s, before, e))
        return;
    bool swap = model_site(p->m, before) > model_site(p->m, e);
    uint64_t key = sites_key(p, (ev_id[]){swap ? e : before, swap ? before : e}, 2);
    struct predicted x = {.query = {.kind = QUERY_RACE, .count = 2}};
    scan_ask(s, &x, (ev_id[]){before, e}, key);
}

/* Accesses that have to happen for the thread to get where it is, or that share a lock with
 * what it is about to do, are no races. */
static void compare(struct race_scan *r, const struct stand *here, const struct last *other,
                    thr_id t, ev_id e)
{
    if (other->done == 0)
        return;
    if (here->needs && here->needs[t] >> r->shift >= other->done) {
        r->s->by.order++;
        return;
    }
    if (locksets_exclude(r->s->locksets, other->locks, here->locks)) {
        r->s->by.locks++;
        return;
    }
    consider(r->s, model_at(r->s->p->m, t, other->done - 1), e);
}

static void scan_access(struct race_scan *r, ev_id e)
{
    const struct predictor *p = r->s->p;
    struct span cells = model_cells(p->m, e);
    bool writes = model_writes(p->m, e);
    thr_id self = thread_of(p, e);
    struct stand *here = &r->stands[self];
    if (here->is_old)
        here->locks = lockset_at(r->s->locksets, self, p->m->idx[e]);
    here->is_old = false;
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        struct last *last = r->last + (size_t)c * p->k * 2;
        for (thr_id t = 0; t < p->k; t++) {
            if (t == self)
                continue;
            compare(r, here, &last[2 * t + 1], t, e);
            if (writes)
                compare(r, here, &last[2 * t], t, e);
        }
        last[2 * self + writes] = (struct last){p->m->idx[e] + 1, here->locks};
    }
}

/* The thread is about to do its event of this idx. */
static void go_to(struct race_scan *r, thr_id t, uint32_t idx)
{
    const struct prefix *x = &r->s->p->prefix;
    const marks *must = &x->must[t];
    struct stand *here = &r->stands[t];
    if (here->mark == must->len || must->at[here->mark].p > idx)
        return;
    while (here->mark < must->len && must->at[here->mark].p <= idx)
        here->mark++;
    here->needs = prefix_row(x, must->at[here->mark - 1].at, &r->shift);
}

static void scan(struct scan *s)
{
    const struct predictor *p = s->p;
    const struct model *m = p->m;
    struct race_scan r = {.s = s};
    r.last = mem_zeroed((size_t)m->cell_count * p->k * 2 + 1, sizeof *r.last);
    r.stands = mem_zeroed(p->k + 1, sizeof *r.stands);
    for (ev_id e = 0; e < m->ev_count; e++) {
        thr_id t = thread_of(p, e);
        unsigned kind = m->ev[e].kind;
        go_to(&r, t, m->idx[e]);
        if (model_reads(m, e) || model_writes(m, e))
            scan_access(&r, e);
        r.stands[t].is_old |= kind == EV_ACQUIRE || kind == EV_RELEASE;
    }
    free(r.last);
    free(r.stands);
}

const struct pattern pattern_race = {
    .name = "race",
    .help = "two unordered accesses to one location, one of them a write",
    .list = list,
    .scan = scan,
};
