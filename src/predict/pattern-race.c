/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-race: two accesses of different threads to one cell, one of them a write, not both
 * atomic. Accesses that share several cells are asked about at the first of them. */
#include "predict/engine.h"

static bool first_shared(const struct model *m, ev_id a, ev_id b, cell_id c)
{
    cell_id x = model_cells(m, a).first, y = model_cells(m, b).first;
    return c == (x > y ? x : y);
}

static void ask(struct predictor *p, ev_id a, ev_id b, cell_id c, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    if (m->ev[a].thr == m->ev[b].thr || (model_is_atomic(m, a) && model_is_atomic(m, b)) ||
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

enum {
    LANES = 4, /* of them */
    SAMPLES_ALL = 6,
    OFTEN_BITS = 12, /* for each share of the cells: none disturbs another's */
    OFTEN_COUNT = CELL_SHARES << OFTEN_BITS,
};

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

/* Of the ways with the same hash the last one: how often it was gone, how often with other
 * locks than the time before, and with which the last time. */
struct often {
    uint32_t tag, count, changes, locks;
};

/* What each thread did last to a cell: how many events it had done then, 0 if there is none.
 * They are compared with what another thread needs, four at a time; nearly all are needed. */
struct race_scan {
    struct scan *s;
    uint32_t fours;  /* so many hold a number for each thread */
    four *done;      /* by cell: its last writes, then its last reads, by thread */
    uint32_t *locks; /* the same: what the thread held */
    uint32_t *sites; /* the same: where it was */
    struct {
        uint16_t writers, readers;
    } *counts; /* by cell: threads */
    /* By cell: where its ways are, from 1 on; 0: no thread has come to it in two of them, nor
     * with other locks. */
    uint32_t *mixed;
    struct often *often; /* which accesses to mixed cells have come how often */
    VEC(struct cell_ways) ways;
    struct stand *stands;
};

/* What frees has patterns of its own. */
static bool is_race(const struct scan *s, ev_id before, ev_id e)
{
    const struct model *m = s->p->m;
    return !(model_is_atomic(m, before) && model_is_atomic(m, e)) &&
           !ev_ends_life(m->ev[before].kind) && !ev_ends_life(m->ev[e].kind) &&
           !intent_ignores(s->intent, before) && !intent_ignores(s->intent, e);
}

/* What a thread does, or did last, to a cell. */
struct access {
    thr_id thr;
    uint32_t site, locks, done;
    bool writes;
};

/* Who, where, under which locks: the same for either order. */
static uint64_t key_of_ways(const struct access *a, const struct access *b)
{
    bool swap = a->site != b->site ? a->site > b->site : a->thr > b->thr;
    const struct access *x = swap ? b : a, *y = swap ? a : b;
    uint32_t all[] = {x->site, y->site, x->thr, y->thr, x->locks, y->locks};
    return hash_bytes(all, sizeof all);
}

static uint64_t key_of_sites(const struct access *a, const struct access *b)
{
    uint64_t low = a->site < b->site ? a->site : b->site;
    uint64_t high = a->site < b->site ? b->site : a->site;
    return (low << 32 | high) * 0x9e3779b97f4a7c15ULL;
}

/* False: these places need not be compared any more. */
static bool consider(struct scan *s, const struct access *a, const struct access *b, ev_id e)
{
    ev_id before = model_at(s->p->m, a->thr, a->done - 1);
    uint64_t sites = key_of_sites(a, b);
    if (!is_race(s, before, e))
        return true;
    if (!scan_asks(s, sites))
        return false;
    struct predicted x = {.query = {.kind = QUERY_RACE, .count = 2}};
    scan_ask_way(s, &x, (ev_id[]){before, e}, sites, key_of_ways(a, b));
    return scan_asks(s, sites);
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

/* What the thread is about to do. */
static struct access access_here(const struct race_scan *r, ev_id e, bool writes)
{
    const struct predictor *p = r->s->p;
    thr_id self = thread_of(p, e);
    return (struct access){.thr = self,
                           .site = model_site(p->m, e),
                           .locks = locks_held(&r->stands[self]),
                           .done = p->m->idx[e] + 1,
                           .writes = writes};
}

/* The last one of thread t, at its place among the numbers of a cell. */
static struct access access_at(const struct race_scan *r, size_t at, thr_id t, bool writes)
{
    return (struct access){.thr = t,
                           .site = r->sites[at + t],
                           .locks = r->locks[at + t],
                           .done = numbers(r->done)[at + t],
                           .writes = writes};
}

/* Accesses that have to happen for the thread to get where it is, or that share a lock with
 * what it is about to do, are no races. Counts those that do not have to happen. */
static uint32_t compare(struct race_scan *r, const struct access *own, size_t at, thr_id t,
                        bool writes, ev_id e)
{
    if (numbers(r->done)[at + t] <= numbers(r->stands[own->thr].needs)[t])
        return 0;
    struct access other = access_at(r, at, t, writes);
    if (locksets_exclude(r->s->locksets, other.locks, own->locks))
        r->s->by.locks++;
    else
        consider(r->s, &other, own, e);
    return 1;
}

/* ---- cells that a thread comes to in several ways ------------------------------------ */

/* The last access of that way under each set of locks. False: the places are settled. */
static bool compare_way(struct race_scan *r, const struct way *w, const struct access *own,
                        ev_id e)
{
    uint32_t needed = numbers(r->stands[own->thr].needs)[w->thr];
    for (uint32_t i = 0; i < w->slot_count; i++) {
        if (w->slots[i].done <= needed)
            continue;
        struct access other = {w->thr, w->site, w->slots[i].locks, w->slots[i].done, w->writes};
        if (!locksets_exclude(r->s->locksets, other.locks, own->locks) &&
            !consider(r->s, &other, own, e))
            return false;
    }
    return true;
}

/* Who is excluded is not counted: how often rivals are compared depends on when their places
 * are settled, which parts of a search need not agree on. */
static void compare_ways(struct race_scan *r, struct cell_ways *c, uint32_t id,
                         const struct access *own, ev_id e)
{
    const uint32_t *needs = numbers(r->stands[own->thr].needs);
    struct way *a = &c->at[id];
    for (uint32_t i = 0; i < a->rivals.len;) {
        const struct way *b = &c->at[a->rivals.at[i]];
        bool is_needed = b->done <= needs[b->thr];
        bool is_guarded = !is_needed && locksets_exclude(r->s->locksets, b->common, own->locks);
        if (is_needed || is_guarded || compare_way(r, b, own, e))
            i++;
        else
            way_forget(a, i);
    }
}

static void note_way(struct race_scan *r, struct cell_ways *c, const struct access *x, bool met,
                     ev_id e)
{
    uint32_t id = way_of(c, &(struct way){.thr = x->thr, .site = x->site, .writes = x->writes});
    r->s->skipped += id == NONE;
    if (id == NONE)
        return;
    if (met)
        compare_ways(r, c, id, x, e);
    way_note(&c->at[id], r->s->locksets, x->locks, x->done);
}

/* A thread comes to the cell in another way than before: from now on all ways are kept. */
static void mix(struct race_scan *r, cell_id c)
{
    struct cell_ways all = {0};
    size_t width = (size_t)r->fours * LANES, at = 2 * (size_t)c * width;
    for (thr_id t = 0; t < r->s->p->k; t++)
        for (size_t reads = 0; reads < 2; reads++) {
            struct access x = access_at(r, at + reads * width, t, !reads);
            if (x.done > 0)
                note_way(r, &all, &x, false, NONE);
        }
    vec_push(&r->ways, all);
    r->mixed[c] = r->ways.len;
}

static bool is_sampled(uint32_t n)
{
    return n <= SAMPLES_ALL || (n & (n - 1)) == 0;
}

/* The first ones of a way, and those that are the first with other locks; and then one each
 * time that their number has doubled. */
static bool is_sample(struct race_scan *r, const struct access *x, cell_id c)
{
    uint64_t h = ((uint64_t)c << 32 | x->site) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ h >> 29 ^ ((uint64_t)x->thr << 1 | x->writes)) * 0xbf58476d1ce4e5b9ULL;
    uint64_t place = h >> 32 & ((1 << OFTEN_BITS) - 1);
    struct often *o = &r->often[(uint64_t)share_of(c) << OFTEN_BITS | place];
    if (o->tag != (uint32_t)h)
        *o = (struct often){.tag = (uint32_t)h, .locks = x->locks};
    bool is_other = o->locks != x->locks;
    o->count++;
    o->changes += is_other;
    o->locks = x->locks;
    return is_sampled(o->count) || (is_other && is_sampled(o->changes));
}

/* ---- all cells ------------------------------------------------------------------------- */

static void compare_all(struct race_scan *r, const struct access *own, cell_id c, ev_id e)
{
    const struct predictor *p = r->s->p;
    size_t width = (size_t)r->fours * LANES, at = 2 * c * width;
    const four *done = r->done + at / LANES;
    uint32_t beyond = 0,
             others = r->counts[c].writers + (own->writes ? r->counts[c].readers : 0u);
    others -= numbers(done)[own->thr] > 0;
    others -= own->writes && numbers(done)[width + own->thr] > 0;
    for (thr_id t = 0; t < p->k; t++) {
        beyond += compare(r, own, at, t, true, e);
        if (own->writes)
            beyond += compare(r, own, at + width, t, false, e);
    }
    r->s->by.order += others - beyond;
}

/* Has anybody been there since whom the thread does not need? */
static bool is_met(const struct race_scan *r, const struct access *own, cell_id c)
{
    const four *done = r->done + 2 * (size_t)c * r->fours, *needs = r->stands[own->thr].needs;
    return is_beyond(done, needs, r->fours) ||
           (own->writes && is_beyond(done + r->fours, needs, r->fours));
}

static void scan_cell(struct race_scan *r, const struct access *own, cell_id c, ev_id e)
{
    size_t at = (2 * (size_t)c + !own->writes) * r->fours * LANES + own->thr;
    uint32_t *done = (uint32_t *)r->done + at;
    bool met = is_met(r, own, c);
    r->s->at.event = e;
    r->s->at.cell = c;
    if (!r->mixed[c] && *done && (r->sites[at] != own->site || r->locks[at] != own->locks))
        mix(r, c);
    if (met)
        compare_all(r, own, c, e);
    if (r->mixed[c] && is_sample(r, own, c))
        note_way(r, &r->ways.at[r->mixed[c] - 1], own, met, e);
    r->locks[at] = own->locks;
    r->sites[at] = own->site;
    if (*done == 0)
        ++*(own->writes ? &r->counts[c].writers : &r->counts[c].readers);
    *done = own->done;
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

/* Is the cell of the part that is searched? */
static bool is_looked_at(const struct race_scan *r, cell_id c)
{
    return r->s->shares >> share_of(c) & 1;
}

static void scan_access(struct race_scan *r, ev_id e, bool writes)
{
    const struct model *m = r->s->p->m;
    struct span cells = model_cells(m, e);
    if (cells.count == 1 && !is_looked_at(r, cells.first))
        return;
    if (m->idx[e] >= r->stands[m->ev[e].thr].next)
        go_to(r, m->ev[e].thr, m->idx[e]);
    struct access own = access_here(r, e, writes);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++)
        if (is_looked_at(r, c))
            scan_cell(r, &own, c, e);
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
    r->sites = mem_zeroed(entries * LANES + 1, sizeof *r->sites);
    r->counts = mem_zeroed(p->m->cell_count + 1, sizeof *r->counts);
    r->mixed = mem_zeroed(p->m->cell_count + 1, sizeof *r->mixed);
    r->often = mem_zeroed(OFTEN_COUNT, sizeof *r->often);
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
    free(r->sites);
    free(r->counts);
    free(r->mixed);
    free(r->often);
    for (uint32_t i = 0; i < r->ways.len; i++)
        cell_ways_done(&r->ways.at[i]);
    vec_done(&r->ways);
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
    .cost = 5,
    .list = list,
    .scan = scan,
};
