/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-atomicity: another thread's access between two of one thread to the same cell, in
 * one of the five ways that no serial order explains: RWR, WWR, WRW, RWW, WWW. Violations of
 * several variables are several.c's part. */
#include "predict/units.h"

#include <string.h>

struct cell_accesses {
    VEC(ev_id) at;           /* by thread, program order; an update once */
    VEC(uint32_t) by_thread; /* where each thread's part begins, and the end */
};

static const char *const names[] = {"RWR", "WWR", "WRW", "RWW", "WWW"};

/* Behind the end comes nothing. */
static thr_id thread_at(const struct model *m, uint32_t i, uint32_t end)
{
    return i < end ? m->ev[m->accesses[i]].thr : NONE;
}

/* Two lists by thread, program order become one. */
static void merge(const struct predictor *p, cell_id c, struct cell_accesses *out)
{
    const struct model *m = p->m;
    uint32_t w = m->cell_first[c], w_end = m->cell_reads[c];
    uint32_t r = w_end, r_end = m->cell_first[c + 1];
    thr_id w_thr = thread_at(m, w, w_end), r_thr = thread_at(m, r, r_end);
    ev_id last = NONE;
    out->at.len = out->by_thread.len = 0;
    vec_reserve(&out->at, r_end - w);
    while (w < w_end || r < r_end) {
        bool write = w_thr != r_thr ? w_thr < r_thr : m->accesses[w] <= m->accesses[r];
        ev_id e = m->accesses[write ? w : r];
        while (out->by_thread.len <= (write ? w_thr : r_thr))
            vec_push(&out->by_thread, out->at.len);
        if (e != last)
            out->at.at[out->at.len++] = last = e;
        if (write)
            w_thr = thread_at(m, ++w, w_end);
        else
            r_thr = thread_at(m, ++r, r_end);
    }
    while (out->by_thread.len <= p->k)
        vec_push(&out->by_thread, out->at.len);
}

static void accesses_done(struct cell_accesses *all)
{
    vec_done(&all->at);
    vec_done(&all->by_thread);
}

static const char *shape_of(const struct model *m, ev_id a, ev_id b, ev_id c)
{
    char name[4] = {model_writes(m, a) ? 'W' : 'R', model_writes(m, b) ? 'W' : 'R',
                    model_writes(m, c) ? 'W' : 'R', 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memcmp(names[i], name, sizeof name) == 0)
            return names[i];
    return NULL;
}

static bool first_shared(const struct model *m, const ev_id *e, cell_id c)
{
    cell_id first = 0;
    for (int i = 0; i < 3; i++)
        if (model_cells(m, e[i]).first > first)
            first = model_cells(m, e[i]).first;
    return c == first;
}

static void ask(struct predictor *p, const ev_id *e, cell_id c, predicted_fn found, void *arg)
{
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 3},
                          .pattern = &pattern_atomicity,
                          .shape = shape_of(p->m, e[0], e[1], e[2])};
    if (!x.shape || !first_shared(p->m, e, c))
        return;
    for (int i = 0; i < 3; i++)
        x.query.number[i] = model_number(p->m, e[i]);
    ask_later(p, &x, found, arg);
}

/* Most are excluded by what has to come before what: that is looked up once for all of a
 * thread. */
static void list_remotes(struct predictor *p, const struct cell_accesses *all, cell_id c,
                         ev_id *e, thr_id t, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    uint32_t from = prefix_must(&p->prefix, m->ev[e[0]].thr, m->idx[e[0]] + 1, t);
    uint32_t to = prefix_first(&p->prefix, t, m->ev[e[2]].thr, m->idx[e[2]] + 1);
    for (uint32_t i = all->by_thread.at[t]; i < all->by_thread.at[t + 1]; i++) {
        e[1] = all->at.at[i];
        if (m->idx[e[1]] >= from && m->idx[e[1]] + 1 < to)
            ask(p, e, c, found, arg);
        else if (shape_of(m, e[0], e[1], e[2]) && first_shared(m, e, c)) {
            p->stat.queries++;
            p->stat.clocks_no++;
        }
    }
}

static void list(struct predictor *p, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    struct cell_accesses all = {0};
    for (cell_id c = 0; c < m->cell_count; c++) {
        merge(p, c, &all);
        for (uint32_t i = 0; i < all.at.len; i++)
            for (uint32_t j = i + 1; j < all.at.len; j++) {
                ev_id e[3] = {all.at.at[i], NONE, all.at.at[j]};
                if (m->ev[e[0]].thr != m->ev[e[2]].thr)
                    break;
                for (thr_id t = 0; t < p->k; t++)
                    if (t != m->ev[e[0]].thr)
                        list_remotes(p, &all, c, e, t, found, arg);
            }
    }
    accesses_done(&all);
}

/* ---- the everyday search --------------------------------------------------------------- */

enum {
    NEAR_MAX = 64,       /* accesses of a thread that are looked at on each side of a pair */
    RECENT_MAX = 1 << 13 /* a power of 2 */
};

/* What is held at an event. */
struct recent {
    ev_id e;
    uint32_t locks;
};

struct search {
    struct scan *s;
    struct pairs pairs;
    struct several *several;
    struct recent recent[RECENT_MAX];
};

/* Two accesses of a thread, and what may come between them. */
struct gap {
    cell_id cell;
    ev_id a, b;
    enum group group;
    uint32_t locks; /* held from before a until b */
    uint32_t needs; /* what has to have happened when a is done: in the prefix clocks */
};

/* Another thread does the same read in between: it sees what this one saw, and goes on to do
 * what this one did. What it recorded instead is no guide. */
static bool is_twin(const struct model *m, ev_id a, ev_id remote, ev_id b)
{
    return model_site(m, a) == model_site(m, remote) && model_reads(m, a) &&
           model_writes(m, b) && !model_writes(m, a) && !model_writes(m, remote);
}

/* What always comes between, like the work of a thread that is created and joined there, is
 * meant to. */
static bool is_meant(const struct predictor *p, ev_id a, ev_id remote, ev_id b)
{
    return must_precede(p, a, remote) && must_precede(p, remote, b);
}

/* Atomic accesses need no lock: that a section holds some says nothing. */
static bool is_by_chance(const struct model *m, ev_id a, ev_id remote, ev_id b,
                         enum group group)
{
    return group == GROUP_SECTION && model_is_atomic(m, a) && model_is_atomic(m, remote) &&
           model_is_atomic(m, b);
}

/* What comes between a and b in this way, or no shape at all. */
static struct predicted violation(const struct model *m, ev_id a, ev_id remote, ev_id b,
                                  enum group group)
{
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 3}, .group = group};
    if (!ev_ends_life(m->ev[remote].kind) && !ev_ends_life(m->ev[b].kind))
        x.shape = is_twin(m, a, remote, b) ? "RRW" : shape_of(m, a, remote, b);
    return x;
}

static uint32_t locks_at(struct search *h, ev_id e)
{
    struct recent *r = &h->recent[e % RECENT_MAX];
    const struct model *m = h->s->p->m;
    if (r->e != e)
        *r = (struct recent){e, lockset_at(h->s->locksets, m->ev[e].thr, m->idx[e])};
    return r->locks;
}

/* Dear questions come last. */
static void consider(struct search *h, const struct gap *g, ev_id remote)
{
    struct predictor *p = h->s->p;
    ev_id e[3] = {g->a, remote, g->b};
    struct predicted x = violation(p->m, g->a, remote, g->b, g->group);
    if (!x.shape)
        return;
    if (locksets_exclude(h->s->locksets, g->locks, locks_at(h, remote))) {
        h->s->by.locks++;
        return;
    }
    uint64_t key = sites_key(p, e, 3);
    h->s->skipped += tries_gave_up(&h->s->tries, key);
    if (!tries_left(&h->s->tries, key) || is_meant(p, g->a, remote, g->b) ||
        is_by_chance(p->m, g->a, remote, g->b, g->group) ||
        intent_ignores(h->s->intent, remote))
        return;
    if (model_writes(p->m, remote))
        scan_ask(h->s, &x, e, key);
    else
        scan_ask_up_to(h->s, &x, e, 0, remote, key);
}

/* The accesses of thread t on both sides of a, the nearest first, as far as they may come
 * between a and b: not those that must come before a or after b. */
static void consider_thread(struct search *h, const struct gap *g, thr_id t)
{
    const struct predictor *p = h->s->p;
    const struct model *m = p->m;
    struct lane writes = lane_of(p, g->cell, t, true), reads = lane_of(p, g->cell, t, false);
    if (writes.first == writes.end && reads.first == reads.end)
        return;
    uint32_t from = g->needs == NONE ? 0 : prefix_entry(&p->prefix, g->needs, t);
    struct lanes back = {lane_before(&writes, g->a), lane_before(&reads, g->a)}, on = back;
    ev_id e;
    for (uint32_t i = 0; i < NEAR_MAX && (e = lanes_back(&back)) != NONE && m->idx[e] >= from;
         i++)
        consider(h, g, e);
    uint32_t to = prefix_first(&p->prefix, t, m->ev[g->b].thr, m->idx[g->b] + 1);
    for (uint32_t i = 0; i < NEAR_MAX && (e = lanes_on(&on)) != NONE && m->idx[e] + 1 < to; i++)
        consider(h, g, e);
}

static void consider_pair(struct search *h, const struct access_pair *x)
{
    const struct predictor *p = h->s->p;
    struct gap g = {x->cell,
                    x->a,
                    x->b,
                    x->group,
                    lockset_around(h->s->locksets, x->a, x->b),
                    prefix_place(&p->prefix, x->thr, p->m->idx[x->a] + 1)};
    for (thr_id t = 0; t < p->k; t++)
        if (t != x->thr)
            consider_thread(h, &g, t);
}

static void visit_unit(void *arg, const ev_id *e, uint32_t count, enum group group)
{
    several_unit(((struct search *)arg)->several, e, count, group);
}

static void visit_pair(void *arg, ev_id a, ev_id b, enum group group)
{
    struct search *h = arg;
    const struct model *m = h->s->p->m;
    struct span x = model_cells(m, a), y = model_cells(m, b);
    cell_id first = x.first > y.first ? x.first : y.first;
    if (first >= x.first + x.count || first >= y.first + y.count)
        several_pair(h->several, a, b, group);
    else if (!intent_ignores(h->s->intent, a) && !intent_ignores(h->s->intent, b))
        vec_push(&h->pairs.list, (struct access_pair){first, m->ev[a].thr, a, b, group});
}

static void visit_neighbours(void *arg, const ev_id *a, uint32_t a_count, const ev_id *b,
                             uint32_t b_count)
{
    several_neighbours(((struct search *)arg)->several, a, a_count, b, b_count);
}

static void scan(struct scan *s)
{
    struct search *h = mem_get(sizeof *h);
    *h = (struct search){.s = s, .several = several_new(s)};
    struct unit_visitor to = {h, visit_unit, visit_pair, visit_neighbours, &s->skipped};
    memset(h->recent, 0xff, sizeof h->recent);
    pairs_find(s->p, s->intent, &h->pairs);
    units_walk(s->p, s->intent, &to);
    pairs_sort(&h->pairs);
    for (uint32_t i = 0; i < h->pairs.list.len && !scan_stops(s); i++) {
        const struct access_pair *x = &h->pairs.list.at[i];
        if (x->group != GROUP_DEPENDENT || pairs_take(&h->pairs, s->p->m, x->a, x->b))
            consider_pair(h, x);
    }
    s->skipped += h->pairs.skipped;
    several_ask(h->several);
    several_free(h->several);
    pairs_done(&h->pairs);
    free(h);
}

const struct pattern pattern_atomicity = {
    .id = PATTERN_ATOMICITY,
    .cost = 150,
    .list = list,
    .scan = scan,
};
