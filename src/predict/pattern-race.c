/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-race: two accesses of different threads to one cell, one of them a write, not both
 * atomic. Accesses that share several cells are asked about at the first of them. */
#include "predict/engine.h"

#include <string.h>

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
    x.query.number[0] = m->number[a < b ? a : b];
    x.query.number[1] = m->number[a < b ? b : a];
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

struct last {
    struct scan *s;
    ev_id *at;      /* by cell, thread: its last read and its last write */
    uint32_t *mark; /* by thread: so many of its prefix clocks have come into force */
};

/* Has `before` to happen for e's thread to get to e? */
static bool is_ordered(const struct last *l, ev_id before, ev_id e)
{
    const struct predictor *p = l->s->p;
    thr_id t = thread_of(p, e);
    uint32_t mark = l->mark[t];
    if (mark == 0)
        return false;
    uint32_t at = p->prefix.must[t].at[mark - 1].at;
    return prefix_entry(&p->prefix, at, thread_of(p, before)) > p->m->idx[before];
}

/* What frees has patterns of its own. */
static bool is_race(const struct last *l, ev_id before, ev_id e)
{
    const struct model *m = l->s->p->m;
    return !is_ordered(l, before, e) && !(is_atomic(m, before) && is_atomic(m, e)) &&
           m->ev[before].kind != EV_FREE && m->ev[e].kind != EV_FREE &&
           !intent_ignores(l->s->intent, before) && !intent_ignores(l->s->intent, e);
}

static void consider(struct last *l, ev_id before, ev_id e)
{
    struct predictor *p = l->s->p;
    const struct model *m = p->m;
    if (before == NONE || !is_race(l, before, e))
        return;
    bool swap = model_site(m, before) > model_site(m, e);
    uint64_t key = sites_key(p, (ev_id[]){swap ? e : before, swap ? before : e}, 2);
    if (!tries_left(&l->s->tries, key) || share_a_lock(m, before, e))
        return;
    struct predicted x = {.query = {.kind = QUERY_RACE, .count = 2}};
    scan_ask(l->s, &x, (ev_id[]){before, e}, key);
}

static void scan_access(struct last *l, ev_id e)
{
    struct predictor *p = l->s->p;
    struct span cells = model_cells(p->m, e);
    bool writes = model_writes(p->m, e);
    thr_id self = thread_of(p, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        ev_id *last = l->at + (size_t)c * p->k * 2;
        for (thr_id t = 0; t < p->k; t++) {
            if (t == self)
                continue;
            consider(l, last[2 * t + 1], e);
            if (writes)
                consider(l, last[2 * t], e);
        }
        last[2 * self + writes] = e;
    }
}

static void scan(struct scan *s)
{
    struct predictor *p = s->p;
    const struct model *m = p->m;
    struct last l = {.s = s};
    size_t bytes = ((size_t)m->cell_count * p->k * 2 + 1) * sizeof *l.at;
    l.at = mem_get(bytes);
    memset(l.at, 0xff, bytes);
    l.mark = mem_zeroed(p->k + 1, sizeof *l.mark);
    for (ev_id e = 0; e < m->ev_count; e++) {
        thr_id t = thread_of(p, e);
        const marks *must = &p->prefix.must[t];
        while (l.mark[t] < must->len && must->at[l.mark[t]].p <= m->idx[e])
            l.mark[t]++;
        if (model_reads(m, e) || model_writes(m, e))
            scan_access(&l, e);
    }
    free(l.at);
    free(l.mark);
}

const struct pattern pattern_race = {
    .name = "race",
    .help = "two unordered accesses to one location, one of them a write",
    .list = list,
    .scan = scan,
};
