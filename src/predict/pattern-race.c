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

typedef uint32_t four __attribute__((vector_size(16), may_alias));

enum { LANES = 4 }; /* of them */

/* A lock that a thread has, and the set of all that it had then. */
struct taken {
    ev_id acquire;
    uint32_t set;
};

/* Where a thread is. */
struct stand {
    uint32_t mark; /* so many of its prefix clocks have come into force ... */
    uint32_t next; /* ... and the next one will behind so many of its events, or NONE */
    four *needs;   /* by thread: so many of its events; of itself all */
    VEC(struct taken) taken;
};

/* What each thread did last to a cell: how many events it had done then, 0 if there is none.
 * They are compared with what another thread needs, four at a time; nearly all are needed. */
struct race_scan {
    struct scan *s;
    uint32_t fours;  /* so many hold a number for each thread */
    four *done;      /* by cell: its last writes, then its last reads, by thread */
    uint32_t *locks; /* the same: what the thread held */
    struct {
        uint16_t writers, readers;
    } *counts; /* by cell: threads */
    struct stand *stands;
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

static uint32_t locks_held(const struct stand *here)
{
    return here->taken.len ? here->taken.at[here->taken.len - 1].set : 0;
}

static const uint32_t *numbers(const four *x)
{
    return (const uint32_t *)x;
}

/* Is one of them more than what is needed? */
static inline bool is_beyond(const four *done, const four *needs, uint32_t fours)
{
    four any = {0};
    for (uint32_t i = 0; i < fours; i++)
        any |= (four)(done[i] > needs[i]);
    return any[0] | any[1] | any[2] | any[3];
}

/* Accesses that have to happen for the thread to get where it is, or that share a lock with
 * what it is about to do, are no races. Counts those that do not have to happen. */
static uint32_t compare(struct race_scan *r, const struct stand *here, size_t at, thr_id t,
                        ev_id e)
{
    uint32_t done = numbers(r->done)[at + t];
    if (done <= numbers(here->needs)[t])
        return 0;
    if (locksets_exclude(r->s->locksets, r->locks[at + t], locks_held(here)))
        r->s->by.locks++;
    else
        consider(r->s, model_at(r->s->p->m, t, done - 1), e);
    return 1;
}

static void compare_all(struct race_scan *r, ev_id e, cell_id c, bool writes)
{
    const struct predictor *p = r->s->p;
    thr_id self = thread_of(p, e);
    const struct stand *here = &r->stands[self];
    size_t width = (size_t)r->fours * LANES, at = 2 * c * width;
    const four *done = r->done + at / LANES;
    uint32_t beyond = 0, others = r->counts[c].writers + (writes ? r->counts[c].readers : 0u);
    others -= numbers(done)[self] > 0;
    others -= writes && numbers(done)[width + self] > 0;
    if (is_beyond(done, here->needs, r->fours) ||
        (writes && is_beyond(done + r->fours, here->needs, r->fours)))
        for (thr_id t = 0; t < p->k; t++) {
            beyond += compare(r, here, at, t, e);
            if (writes)
                beyond += compare(r, here, at + width, t, e);
        }
    r->s->by.order += others - beyond;
}

static void scan_access(struct race_scan *r, ev_id e, bool writes)
{
    const struct predictor *p = r->s->p;
    struct span cells = model_cells(p->m, e);
    size_t width = (size_t)r->fours * LANES;
    thr_id self = thread_of(p, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        compare_all(r, e, c, writes);
        size_t at = (2 * (size_t)c + !writes) * width + self;
        uint32_t *done = (uint32_t *)r->done + at;
        if (*done == 0)
            ++*(writes ? &r->counts[c].writers : &r->counts[c].readers);
        *done = p->m->idx[e] + 1;
        r->locks[at] = locks_held(&r->stands[self]);
    }
}

/* The thread is about to do its event of this idx: what it needs has changed. */
static void go_to(struct race_scan *r, thr_id t, uint32_t idx)
{
    const struct predictor *p = r->s->p;
    const marks *must = &p->prefix.must[t];
    struct stand *here = &r->stands[t];
    unsigned shift;
    while (here->mark < must->len && must->at[here->mark].p <= idx)
        here->mark++;
    here->next = here->mark < must->len ? must->at[here->mark].p : NONE;
    if (here->mark == 0)
        return;
    const uint32_t *row = prefix_row(&p->prefix, must->at[here->mark - 1].at, &shift);
    uint32_t *needs = (uint32_t *)here->needs;
    for (thr_id i = 0; i < p->k; i++)
        needs[i] = row[i] >> shift;
    needs[t] = UINT32_MAX;
}

static void take_lock(struct race_scan *r, ev_id e)
{
    struct stand *here = &r->stands[thread_of(r->s->p, e)];
    uint32_t set = lockset_with(r->s->locksets, locks_held(here), e);
    vec_push(&here->taken, (struct taken){e, set});
}

/* Those that were taken later are taken anew, without it. */
static void release_lock(struct race_scan *r, ev_id e)
{
    struct stand *here = &r->stands[thread_of(r->s->p, e)];
    uint32_t len = here->taken.len, at = len;
    while (at > 0 && here->taken.at[at - 1].acquire != r->s->p->m->link[e])
        at--;
    CHECK(at > 0);
    here->taken.len = at - 1;
    for (; at < len; at++)
        take_lock(r, here->taken.at[at].acquire);
}

static void race_scan_init(struct race_scan *r, const struct predictor *p)
{
    r->fours = (p->k + LANES - 1) / LANES;
    size_t entries = (size_t)p->m->cell_count * 2 * r->fours;
    r->done = mem_zeroed(entries + 1, sizeof *r->done);
    r->locks = mem_zeroed(entries * LANES + 1, sizeof *r->locks);
    r->counts = mem_zeroed(p->m->cell_count + 1, sizeof *r->counts);
    r->stands = mem_zeroed(p->k + 1, sizeof *r->stands);
    for (thr_id t = 0; t < p->k; t++) {
        r->stands[t].needs = mem_zeroed(r->fours, sizeof *r->stands[t].needs);
        ((uint32_t *)r->stands[t].needs)[t] = UINT32_MAX;
    }
}

static void race_scan_done(struct race_scan *r, const struct predictor *p)
{
    for (thr_id t = 0; t < p->k; t++) {
        free(r->stands[t].needs);
        vec_done(&r->stands[t].taken);
    }
    free(r->stands);
    free(r->done);
    free(r->locks);
    free(r->counts);
}

static void scan(struct scan *s)
{
    const struct predictor *p = s->p;
    const struct model *m = p->m;
    struct race_scan r = {.s = s};
    race_scan_init(&r, p);
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++) {
        struct row x = m->ev[e];
        bool writes = kind_writes(x.kind, x.detail);
        if (m->idx[e] >= r.stands[x.thr].next)
            go_to(&r, x.thr, m->idx[e]);
        if (writes || kind_reads(x.kind))
            scan_access(&r, e, writes);
        else if (x.kind == EV_ACQUIRE)
            take_lock(&r, e);
        else if (x.kind == EV_RELEASE)
            release_lock(&r, e);
    }
    race_scan_done(&r, p);
}

const struct pattern pattern_race = {
    .id = PATTERN_RACE,
    .list = list,
    .scan = scan,
};
