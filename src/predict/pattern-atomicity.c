/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-atomicity: another thread's access between two of one thread to the same cell, in
 * one of the five ways that no serial order explains: RWR, WWR, WRW, RWW, WWW. Violations of
 * several variables are several.c's part. */
#include "predict/units.h"

#include <string.h>

struct cell_accesses {
    VEC(ev_id) at; /* by thread, program order; an update once */
};

static const char *const names[] = {"RWR", "WWR", "WRW", "RWW", "WWW"};

static bool comes_first(const struct model *m, ev_id a, ev_id b)
{
    if (m->ev[a].thr != m->ev[b].thr)
        return m->ev[a].thr < m->ev[b].thr;
    return m->idx[a] < m->idx[b];
}

static void merge(const struct model *m, cell_id c, struct cell_accesses *out)
{
    uint32_t w = m->cell_first[c], r = m->cell_reads[c];
    out->at.len = 0;
    while (w < m->cell_reads[c] || r < m->cell_first[c + 1]) {
        bool write = r == m->cell_first[c + 1] ||
                     (w < m->cell_reads[c] && !comes_first(m, m->accesses[r], m->accesses[w]));
        ev_id e = m->accesses[write ? w++ : r++];
        if (out->at.len == 0 || out->at.at[out->at.len - 1] != e)
            vec_push(&out->at, e);
    }
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
        x.query.number[i] = p->m->number[e[i]];
    ask_later(p, &x, found, arg);
}

static void list(struct predictor *p, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    struct cell_accesses all = {0};
    for (cell_id c = 0; c < m->cell_count; c++) {
        merge(m, c, &all);
        for (uint32_t i = 0; i < all.at.len; i++)
            for (uint32_t j = i + 1; j < all.at.len; j++) {
                ev_id e[3] = {all.at.at[i], NONE, all.at.at[j]};
                if (m->ev[e[0]].thr != m->ev[e[2]].thr)
                    break;
                for (uint32_t r = 0; r < all.at.len; r++) {
                    e[1] = all.at.at[r];
                    if (m->ev[e[1]].thr != m->ev[e[0]].thr)
                        ask(p, e, c, found, arg);
                }
            }
    }
    vec_done(&all.at);
}

/* ---- the everyday search --------------------------------------------------------------- */

enum {
    NEAR_MAX = 64,  /* accesses of a thread that are looked at on each side of a pair */
    PAIRS_MAX = 64, /* pairs of the same two sites */
};

/* Accesses to one cell, the second of which depends on the first. */
struct dependent {
    cell_id cell;
    ev_id a, b;
};

struct search {
    struct scan *s;
    struct cell_accesses all; /* of the cell under way */
    struct map pairs;         /* by two sites: how many pairs were looked at */
    struct several *several;
    VEC(struct dependent) dependent;
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

static bool is_atomic(const struct model *m, ev_id e)
{
    return m->ev[e].kind >= EV_ATOMIC_LOAD && m->ev[e].kind <= EV_CAS;
}

/* Atomic accesses need no lock: that a section holds some says nothing. */
static bool is_by_chance(const struct model *m, ev_id a, ev_id remote, ev_id b,
                         enum group group)
{
    return group == GROUP_SECTION && is_atomic(m, a) && is_atomic(m, remote) && is_atomic(m, b);
}

/* What comes between a and b in this way, or no shape at all. */
static struct predicted violation(const struct model *m, ev_id a, ev_id remote, ev_id b,
                                  enum group group)
{
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 3}, .group = group};
    if (m->ev[remote].kind != EV_FREE && m->ev[b].kind != EV_FREE)
        x.shape = is_twin(m, a, remote, b) ? "RRW" : shape_of(m, a, remote, b);
    return x;
}

/* False: the thread's accesses from here on are too far away. Dear questions come last. */
static bool consider(struct search *h, ev_id a, ev_id remote, ev_id b, enum group group,
                     bool before)
{
    struct predictor *p = h->s->p;
    ev_id e[3] = {a, remote, b};
    struct predicted x = violation(p->m, a, remote, b, group);
    uint64_t key = sites_key(p, e, 3);
    if (!x.shape || !tries_left(&h->s->tries, key))
        return true;
    if (before ? must_precede(p, remote, a) : must_precede(p, b, remote))
        return false;
    if (is_kept_out(p->m, a, b, remote) || is_meant(p, a, remote, b) ||
        is_by_chance(p->m, a, remote, b, group) || intent_ignores(h->s->intent, remote))
        return true;
    if (model_writes(p->m, remote))
        scan_ask(h->s, &x, e, key);
    else
        scan_ask_up_to(h->s, &x, e, 0, remote, key);
    return true;
}

/* The accesses of thread t on both sides of a, the nearest first, as far as they may come
 * between a and b. */
static void consider_thread(struct search *h, ev_id a, ev_id b, enum group group, thr_id t)
{
    const struct predictor *p = h->s->p;
    const struct model *m = p->m;
    const ev_id *all = h->all.at.at;
    uint32_t len = h->all.at.len;
    uint32_t at = list_before(m, all, len, t, idx_from(p, t, m->threads[t].len, a));
    for (uint32_t i = at; i > 0 && at - i < NEAR_MAX && m->ev[all[i - 1]].thr == t; i--)
        if (!consider(h, a, all[i - 1], b, group, true))
            break;
    for (uint32_t i = at; i < len && i - at < NEAR_MAX && m->ev[all[i]].thr == t; i++)
        if (!consider(h, a, all[i], b, group, false))
            break;
}

/* GROUP_NONE: it is not known yet why they should belong together. */
static void consider_pair(struct search *h, ev_id a, ev_id b, enum group group)
{
    const struct predictor *p = h->s->p;
    uint64_t key = sites_key(p, (ev_id[]){a, b}, 2);
    uint32_t seen = map_find(&h->pairs, key);
    if (seen != NONE && seen >= PAIRS_MAX)
        return;
    if (group == GROUP_NONE)
        group = intent_group(h->s->intent, a, b);
    if (group == GROUP_NONE || intent_ignores(h->s->intent, a) ||
        intent_ignores(h->s->intent, b))
        return;
    *map_at(&h->pairs, key) = seen == NONE ? 1 : seen + 1;
    for (thr_id t = 0; t < p->k; t++)
        if (t != p->m->ev[a].thr)
            consider_thread(h, a, b, group, t);
}

/* An access belongs to the one before it, and a write to the write before it: what comes
 * between others comes between two of these. */
static void scan_cell(struct search *h)
{
    const struct model *m = h->s->p->m;
    ev_id write = NONE, a = NONE;
    for (uint32_t i = 0; i < h->all.at.len; i++) {
        ev_id b = h->all.at.at[i];
        if (intent_ignores(h->s->intent, b))
            continue;
        if (write != NONE && m->ev[write].thr != m->ev[b].thr)
            write = NONE;
        if (a != NONE && m->ev[a].thr == m->ev[b].thr)
            consider_pair(h, a, b, GROUP_NONE);
        if (model_writes(m, b) && write != NONE && write != a)
            consider_pair(h, write, b, GROUP_NONE);
        write = model_writes(m, b) ? b : write;
        a = b;
    }
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
    if (first < x.first + x.count && first < y.first + y.count)
        vec_push(&h->dependent, (struct dependent){first, a, b});
    else
        several_pair(h->several, a, b, group);
}

static void visit_neighbours(void *arg, const ev_id *a, uint32_t a_count, const ev_id *b,
                             uint32_t b_count)
{
    several_neighbours(((struct search *)arg)->several, a, a_count, b, b_count);
}

static int by_cell(const void *left, const void *right)
{
    const struct dependent *a = left, *b = right;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    struct search h = {.s = s, .several = several_new(s)};
    struct unit_visitor to = {&h, visit_unit, visit_pair, visit_neighbours};
    units_walk(s->p, s->intent, &to);
    if (h.dependent.len > 0)
        qsort(h.dependent.at, h.dependent.len, sizeof *h.dependent.at, by_cell);
    uint32_t next = 0;
    for (cell_id c = 0; c < m->cell_count; c++) {
        merge(m, c, &h.all);
        scan_cell(&h);
        for (; next < h.dependent.len && h.dependent.at[next].cell == c; next++)
            consider_pair(&h, h.dependent.at[next].a, h.dependent.at[next].b, GROUP_DEPENDENT);
    }
    several_ask(h.several);
    several_free(h.several);
    vec_done(&h.dependent);
    vec_done(&h.all.at);
    map_done(&h.pairs);
}

const struct pattern pattern_atomicity = {
    .name = "atomicity",
    .help = "another thread's accesses between those that belong together",
    .list = list,
    .scan = scan,
};
