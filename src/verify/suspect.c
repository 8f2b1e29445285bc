/* SPDX-License-Identifier: Apache-2.0
 *
 * suspect: the accesses of each cell, thread by thread, and of each pair of cells; no solver:
 * table 1 is a loop over accesses, and algorithm 1's order constraint a comparison of places in
 * the failing run. Of accesses that a thread repeats at one place under the same locks the
 * first two and the last stand for all.
 *
 * Both orders count only between interactive sections: sections of one lock that overlapped in
 * the failing run, where the lock was not yet taken. A pair of accesses that algorithm 1 finds
 * in the wrong program order is turned to its valid counterpart; here that is the second of the
 * two conditions in is_suspicious. */
#include "verify/suspect.h"

#include <stdlib.h>
#include <string.h>

enum { REPEAT_KEPT = 3, CELLS_ALL = 24, THREADS_ALIKE = 4 };

struct access {
    ev_id e;
    cell_id cell;
    thr_id thr;
    uint64_t place; /* site, kind and locks held */
    bool reads, writes;
};
typedef VEC(struct access) access_list;

struct search {
    violations *out;
    const struct model *m;
    const struct must *must;
    const struct suspect_opts *opts;
    access_list all;      /* by cell, thread, program order */
    VEC(uint32_t) first;  /* by cell with accesses: of all; one more at the end */
    struct map places;    /* places of a violation -> how many are kept */
    struct map instances; /* the same, and which of them -> index */
    bool *is_kept;        /* by thread */
    struct map functions; /* cell, function -> 1: accessed there */
    bool is_cut;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    return hash_u64(a * 0x9e3779b97f4a7c15ULL + b + 0x2545f4914f6cdd1dULL);
}

/* ---- threads ----------------------------------------------------------------------------- */

struct role {
    uint64_t what; /* it does, wherever: sum over the places */
    uint32_t last; /* place in the failing run */
    thr_id thr;
};

static int by_role(const void *left, const void *right)
{
    const struct role *a = left, *b = right;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    return (a->thr > b->thr) - (a->thr < b->thr);
}

/* Of threads that do the same in the same code, those that were at work when it failed stand
 * for the others. */
static void keep_threads(struct search *s)
{
    const struct model *m = s->m;
    struct role *roles = mem_zeroed(m->thread_count + 1, sizeof *roles);
    struct map seen = {0};
    s->is_kept = mem_zeroed(m->thread_count + 1, sizeof *s->is_kept);
    for (thr_id t = 0; t < m->thread_count; t++)
        roles[t].thr = t;
    for (ev_id e = 0; e < m->ev_count; e++) {
        struct role *r = &roles[m->ev[e].thr];
        uint64_t place = mix(model_site(m, e), m->ev[e].kind);
        uint32_t rank = s->opts->rank[e], *slot = map_at(&seen, mix(place, r->thr));
        r->what += *slot == NONE ? hash_u64(place) : 0;
        r->last = rank != NONE && rank > r->last ? rank : r->last;
        *slot = 1;
    }
    qsort(roles, m->thread_count, sizeof *roles, by_role);
    for (uint32_t i = 0, alike = 0; i < m->thread_count; i++) {
        alike = i > 0 && roles[i].what == roles[i - 1].what ? alike + 1 : 0;
        s->is_kept[roles[i].thr] = alike < THREADS_ALIKE || s->opts->alike_max == 0;
    }
    map_done(&seen);
    free(roles);
}

/* ---- accesses ---------------------------------------------------------------------------- */

static uint64_t place_of(const struct model *m, ev_id e)
{
    CHECK(e < m->ev_count);
    uint64_t locks = 0;
    uint32_t p = m->idx[e];
    for (uint32_t i = model_held(m, m->ev[e].thr, p); i != NONE; i = model_held_next(m, i, p))
        locks += hash_u64(m->obj[m->acquires[i]] + 1);
    return mix(mix(model_site(m, e), m->ev[e].kind), locks);
}

static int by_program_order(const void *left, const void *right)
{
    const struct access *a = left, *b = right;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->thr != b->thr)
        return a->thr < b->thr ? -1 : 1;
    return (a->e > b->e) - (a->e < b->e);
}

static void add_access(struct search *s, cell_id c, ev_id e)
{
    const struct model *m = s->m;
    if (s->opts->rank[e] == NONE || !model_accesses(m, e) || !s->is_kept[m->ev[e].thr])
        return;
    if (s->all.len > 0 && s->all.at[s->all.len - 1].e == e &&
        s->all.at[s->all.len - 1].cell == c)
        return;
    vec_push(&s->all, (struct access){.e = e,
                                      .cell = c,
                                      .thr = m->ev[e].thr,
                                      .place = place_of(m, e),
                                      .reads = model_reads(m, e),
                                      .writes = model_writes(m, e)});
}

/* Of what a thread repeats, the first ones and the last stay. */
static void drop_repeated(struct search *s, uint32_t from)
{
    struct map seen = {0};
    VEC(uint32_t) count = {0};
    uint32_t kept = from;
    for (uint32_t i = from; i < s->all.len; i++) {
        const struct access a = s->all.at[i];
        uint32_t *slot = map_at(&seen, mix(mix(a.place, a.thr), a.cell));
        if (*slot == NONE) {
            *slot = count.len;
            vec_push(&count, 0);
        }
        CHECK(*slot < count.len && kept <= i);
        uint32_t n = ++count.at[*slot];
        if (n <= REPEAT_KEPT) {
            s->all.at[kept++] = a;
            continue;
        }
        for (uint32_t k = kept;
             k-- > from;) { /* the last one takes the place of the last kept */
            if (s->all.at[k].place != a.place || s->all.at[k].thr != a.thr)
                continue;
            memmove(&s->all.at[k], &s->all.at[k + 1], (kept - k - 1) * sizeof a);
            s->all.at[kept - 1] = a;
            break;
        }
    }
    s->all.len = kept;
    map_done(&seen);
    vec_done(&count);
}

static bool is_shared(const struct search *s, uint32_t from)
{
    bool writes = false, others = false;
    for (uint32_t i = from; i < s->all.len; i++) {
        writes |= s->all.at[i].writes;
        others |= s->all.at[i].thr != s->all.at[from].thr;
    }
    return writes && others;
}

static uint64_t function_of(const struct model *m, ev_id e)
{
    const struct def_site *d = &m->trace->sites.at[model_site(m, e)];
    return hash_bytes(d->function.at, d->function.len);
}

static void collect(struct search *s)
{
    const struct model *m = s->m;
    for (cell_id c = 0; c < m->cell_count; c++) {
        uint32_t from = s->all.len;
        for (uint32_t i = m->cell_first[c]; i < m->cell_first[c + 1]; i++)
            add_access(s, c, m->accesses[i]);
        if (s->all.len - from > 1)
            qsort(s->all.at + from, s->all.len - from, sizeof *s->all.at, by_program_order);
        uint32_t kept = from; /* an update is listed as a write and as a read */
        for (uint32_t i = from; i < s->all.len; i++)
            if (kept == from || s->all.at[kept - 1].e != s->all.at[i].e)
                s->all.at[kept++] = s->all.at[i];
        s->all.len = kept;
        drop_repeated(s, from);
        if (!is_shared(s, from)) {
            s->all.len = from;
            continue;
        }
        vec_push(&s->first, from);
        for (uint32_t i = from; i < s->all.len; i++)
            *map_at(&s->functions, mix(c, function_of(m, s->all.at[i].e))) = 1;
    }
    vec_push(&s->first, s->all.len);
}

/* ---- orders ------------------------------------------------------------------------------ */

/* The places in the failing run that a section covered. */
static void section_span(const struct search *s, ev_id acquire, uint32_t *low, uint32_t *high)
{
    const struct model *m = s->m;
    const struct model_thread *t = &m->threads[m->ev[acquire].thr];
    uint32_t end = m->link[acquire] == NONE ? t->len : m->idx[m->link[acquire]];
    *low = NONE;
    *high = 0;
    for (uint32_t i = m->idx[acquire] + 1; i < end; i++) {
        uint32_t rank = s->opts->rank[m->by_thread[t->first + i]];
        if (rank == NONE)
            continue;
        *low = rank < *low ? rank : *low;
        *high = rank > *high ? rank : *high;
    }
}

/* Do a and b stand in sections of one lock that overlapped in the failing run? */
static bool is_interactive(const struct search *s, ev_id a, ev_id b)
{
    const struct model *m = s->m;
    uint32_t p = m->idx[a];
    for (uint32_t i = model_held(m, m->ev[a].thr, p); i != NONE; i = model_held_next(m, i, p)) {
        ev_id other = section_of(m, b, m->obj[m->acquires[i]]);
        uint32_t low[2], high[2];
        if (other == NONE)
            continue;
        section_span(s, m->acquires[i], &low[0], &high[0]);
        section_span(s, other, &low[1], &high[1]);
        if (low[0] != NONE && low[1] != NONE && low[0] < high[1] && low[1] < high[0])
            return true;
    }
    return false;
}

static bool was_before(const struct search *s, ev_id a, ev_id b)
{
    return s->opts->rank[a] < s->opts->rank[b];
}

/* Is a before b an order to look at? */
static bool is_order(const struct search *s, ev_id a, ev_id b)
{
    return was_before(s, a, b) || is_interactive(s, a, b);
}

/* (a, b) and (c, d), or what the failing run had of it the other way round, if that is against
 * the threads' own order. */
static bool is_suspicious(const struct search *s, ev_id a, ev_id b, ev_id c, ev_id d)
{
    if (s->opts->observed)
        return was_before(s, a, b) && was_before(s, c, d);
    if (is_order(s, a, b) && is_order(s, c, d))
        return true;
    bool is_spurious = must_before(s->must, a, d) && (b == c || must_before(s->must, c, b));
    return is_spurious && is_order(s, b, a) && is_order(s, d, c) &&
           (is_interactive(s, a, b) || is_interactive(s, c, d));
}

/* ---- what is kept ------------------------------------------------------------------------ */

static uint64_t places_of(const struct search *s, const struct violation *v)
{
    uint64_t h = v->pattern;
    for (uint32_t i = 0; i < violation_count(v); i++)
        h = mix(h, model_site(s->m, v->e[i]));
    return h;
}

static uint32_t late_of(const struct search *s, const struct violation *v)
{
    uint32_t late = 0;
    if (s->opts->observed)
        return UINT32_MAX - violation_span(s->m, v);
    for (uint32_t i = 0; i < violation_count(v); i++)
        late = s->opts->rank[v->e[i]] > late ? s->opts->rank[v->e[i]] : late;
    return late;
}

/* All are kept that are wanted of these places: the earliest makes room for a later one. */
static void replace_earliest(struct search *s, struct violation v)
{
    uint32_t earliest = NONE;
    for (uint32_t i = 0; i < s->opts->alike_max; i++) {
        uint32_t at = map_find(&s->instances, mix(v.places, i));
        CHECK(at < s->out->len && s->out->at[at].places == v.places);
        if (earliest == NONE || s->out->at[at].late < s->out->at[earliest].late)
            earliest = at;
    }
    struct violation *old = &s->out->at[earliest];
    v.alike = old->alike + 1;
    if (old->late < v.late)
        *old = v;
    else
        old->alike++;
}

static void add_violation(struct search *s, struct violation v)
{
    CHECK(s->m->ev[v.e[0]].thr == s->m->ev[v.e[violation_count(&v) - 1]].thr);
    CHECK(s->m->ev[v.e[0]].thr != s->m->ev[v.e[1]].thr);
    v.places = places_of(s, &v);
    v.late = late_of(s, &v);
    v.alike = 1;
    v.lock = NONE;
    uint32_t *count = map_at(&s->places, v.places);
    *count = *count == NONE ? 0 : *count;
    if (s->opts->alike_max && *count == s->opts->alike_max) {
        replace_earliest(s, v);
        return;
    }
    if (s->opts->max && s->out->len >= s->opts->max) {
        s->is_cut = true;
        return;
    }
    *map_at(&s->instances, mix(v.places, (*count)++)) = s->out->len;
    vec_push(s->out, v);
}

/* ---- one variable ------------------------------------------------------------------------ */

static uint8_t pattern_of_one(const struct access *a, const struct access *b,
                              const struct access *c)
{
    if (a->reads && b->writes && c->reads)
        return 1;
    if (a->writes && b->reads && c->writes)
        return 2;
    if (a->writes && b->writes && c->reads)
        return 3;
    if (a->reads && b->writes && c->writes)
        return 4;
    return a->writes && b->writes && c->writes ? 5 : 0;
}

static void try_one(struct search *s, const struct access *a, const struct access *b,
                    const struct access *c)
{
    uint8_t pattern = pattern_of_one(a, b, c);
    if (pattern == 0 || !is_suspicious(s, a->e, b->e, b->e, c->e))
        return;
    add_violation(
        s, (struct violation){.e = {a->e, b->e, c->e, NONE},
                              .pattern = pattern,
                              .is_likely = function_of(s->m, a->e) == function_of(s->m, c->e)});
}

/* ---- two variables ----------------------------------------------------------------------- */

static uint8_t pattern_of_two(const struct access *a, const struct access *b,
                              const struct access *c, const struct access *d)
{
    if (a->writes && b->writes && c->writes && d->writes)
        return 6;
    if (a->writes && d->writes && b->reads && c->reads)
        return 7;
    return a->reads && d->reads && b->writes && c->writes ? 8 : 0;
}

/* Some function uses both. */
static bool go_together(const struct search *s, const struct access *x, uint32_t x_count,
                        cell_id y)
{
    for (uint32_t i = 0; i < x_count; i++)
        if (map_find(&s->functions, mix(y, function_of(s->m, x[i].e))) != NONE)
            return true;
    return false;
}

static void try_two(struct search *s, const struct access *a, const struct access *b,
                    const struct access *c, const struct access *d, bool is_likely)
{
    uint8_t pattern = pattern_of_two(a, b, c, d);
    if (pattern == 0 || !is_suspicious(s, a->e, b->e, c->e, d->e))
        return;
    if (must_before(s->must, d->e, a->e) && must_before(s->must, b->e, c->e))
        return; /* spurious; its counterpart is met as well */
    add_violation(s, (struct violation){.e = {a->e, b->e, c->e, d->e},
                                        .pattern = pattern,
                                        .is_likely = is_likely});
}

/* ---- all --------------------------------------------------------------------------------- */

static uint32_t thread_end(const access_list *all, uint32_t at, uint32_t end)
{
    uint32_t i = at;
    while (i < end && all->at[i].thr == all->at[at].thr)
        i++;
    return i;
}

static void pair_threads(struct search *s, uint32_t a, uint32_t a_end, uint32_t b,
                         uint32_t b_end)
{
    const struct access *x = s->all.at;
    for (uint32_t i = a; i < a_end; i++)
        for (uint32_t k = i + 1; k < a_end; k++)
            for (uint32_t j = b; j < b_end; j++)
                try_one(s, &x[i], &x[j], &x[k]);
}

static void search_cell(struct search *s, uint32_t cell)
{
    uint32_t end = s->first.at[cell + 1];
    for (uint32_t a = s->first.at[cell], a_end; a < end; a = a_end) {
        a_end = thread_end(&s->all, a, end);
        for (uint32_t b = s->first.at[cell], b_end; b < end; b = b_end) {
            b_end = thread_end(&s->all, b, end);
            if (a != b)
                pair_threads(s, a, a_end, b, b_end);
        }
    }
}

/* The accesses of one thread to a cell. */
static void of_thread(const struct search *s, uint32_t cell, thr_id thr, uint32_t *from,
                      uint32_t *end)
{
    *from = s->first.at[cell];
    while (*from < s->first.at[cell + 1] && s->all.at[*from].thr < thr)
        ++*from;
    *end = *from;
    while (*end < s->first.at[cell + 1] && s->all.at[*end].thr == thr)
        ++*end;
}

static void cross(struct search *s, uint32_t cx, uint32_t cy, thr_id i, thr_id j,
                  bool is_likely)
{
    uint32_t a, a_end, b, b_end, c, c_end, d, d_end;
    const struct access *x = s->all.at;
    of_thread(s, cx, i, &a, &a_end);
    of_thread(s, cx, j, &b, &b_end);
    of_thread(s, cy, j, &c, &c_end);
    of_thread(s, cy, i, &d, &d_end);
    if (a == a_end || b == b_end || c == c_end || d == d_end)
        return;
    for (uint32_t p = a; p < a_end; p++)
        for (uint32_t q = b; q < b_end; q++)
            for (uint32_t r = c; r < c_end; r++)
                for (uint32_t t = d; t < d_end; t++)
                    try_two(s, &x[p], &x[q], &x[r], &x[t], is_likely);
}

static void search_pair(struct search *s, uint32_t cx, uint32_t cy)
{
    const struct access *x = &s->all.at[s->first.at[cx]];
    bool together = go_together(s, x, s->first.at[cx + 1] - s->first.at[cx],
                                s->all.at[s->first.at[cy]].cell);
    if (!together && s->first.len - 1 > CELLS_ALL)
        return;
    uint32_t end = s->first.at[cx + 1];
    for (uint32_t a = s->first.at[cx]; a < end; a = thread_end(&s->all, a, end))
        for (uint32_t b = s->first.at[cx]; b < end; b = thread_end(&s->all, b, end))
            if (a != b)
                cross(s, cx, cy, s->all.at[a].thr, s->all.at[b].thr, together);
}

bool suspect_find(violations *out, const struct model *m, const struct must *must,
                  const struct suspect_opts *opts)
{
    struct search s = {.out = out, .m = m, .must = must, .opts = opts};
    keep_threads(&s);
    collect(&s);
    for (uint32_t c = 0; c + 1 < s.first.len; c++)
        search_cell(&s, c);
    for (uint32_t x = 0; x + 1 < s.first.len; x++)
        for (uint32_t y = 0; y + 1 < s.first.len; y++)
            if (x != y)
                search_pair(&s, x, y);
    vec_done(&s.all);
    vec_done(&s.first);
    map_done(&s.places);
    map_done(&s.instances);
    free(s.is_kept);
    map_done(&s.functions);
    return s.is_cut;
}

static uint32_t distance(const struct model *m, ev_id a, ev_id b)
{
    return m->idx[a] < m->idx[b] ? m->idx[b] - m->idx[a] : m->idx[a] - m->idx[b];
}

uint32_t violation_span(const struct model *m, const struct violation *v)
{
    if (v->pattern <= 5)
        return distance(m, v->e[0], v->e[2]);
    uint32_t one = distance(m, v->e[0], v->e[3]), other = distance(m, v->e[1], v->e[2]);
    return one > other ? one : other;
}

void violation_pairs(const struct violation *v, ev_id out[2][2])
{
    out[0][0] = v->e[0];
    out[0][1] = v->e[1];
    out[1][0] = v->pattern <= 5 ? v->e[1] : v->e[2];
    out[1][1] = v->pattern <= 5 ? v->e[2] : v->e[3];
}

void suspect_refute(violations *all, const struct must *must)
{
    for (uint32_t i = 0; i < all->len; i++) {
        AUTO(order) struct order *o = order_new(must);
        struct violation *v = &all->at[i];
        ev_id pairs[2][2];
        violation_pairs(v, pairs);
        if (v->state != VIOLATION_OPEN || order_add(o, pairs, 2))
            continue;
        v->state = VIOLATION_EXCLUDED;
        v->lock = order_blame(o);
    }
}
