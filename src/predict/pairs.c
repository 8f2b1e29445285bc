/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs: accesses of a thread to one cell that belong together, found in one walk along the
 * trace. An access belongs to the one before it, and a write to the write before it: what comes
 * between others comes between two of these. Of the same two sites only so many pairs are
 * kept. */
#include "predict/units.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MAX = 64, /* of the same two sites, in any case */
    LATER_EACH = 4, /* behind those, while their number doubles */
};

/* The last access of a thread to a cell, and the last write: how many events the thread had
 * done behind it, 0 if there is none. */
struct own {
    uint32_t any, write;
};

struct walk {
    const struct predictor *p;
    const struct intent *intent;
    struct pairs *out;
    bool plain;           /* nothing but sections tells what belongs together */
    struct own *last;     /* by cell, thread */
    VEC(uint32_t) * held; /* by thread: idx of the acquires that it has not released */
};

/* The first ones of their sites, and then a few each time that their number has doubled: they
 * come from all over the trace. */
static bool is_sample(uint32_t n)
{
    uint32_t power = 1u << (31 - __builtin_clz(n));
    return n <= PAIRS_MAX || n % (power / LATER_EACH) == 0;
}

bool pairs_take(struct pairs *all, const struct model *m, ev_id a, ev_id b)
{
    CHECK(a < m->ev_count && b < m->ev_count);
    uint32_t *seen = map_at(&all->seen, (uint64_t)model_site(m, a) << 32 | model_site(m, b));
    *seen = *seen == NONE ? 1 : *seen + 1;
    bool taken = is_sample(*seen);
    all->skipped += !taken;
    return taken;
}

/* Of the same thread, a before b. A section holds both if its acquire comes before a. */
static enum group group_of(const struct walk *w, ev_id a, ev_id b)
{
    const struct model *m = w->p->m;
    thr_id t = m->ev[b].thr;
    if (w->plain)
        return w->held[t].len > 0 && w->held[t].at[0] < m->idx[a] ? GROUP_SECTION : GROUP_NONE;
    return intent_group(w->intent, a, b);
}

static void consider(struct walk *w, cell_id c, uint32_t a_done, ev_id b)
{
    const struct model *m = w->p->m;
    thr_id t = m->ev[b].thr;
    if (a_done == 0 || (w->plain && (w->held[t].len == 0 || w->held[t].at[0] + 1 >= a_done)))
        return;
    ev_id a = model_at(m, t, a_done - 1);
    enum group group = group_of(w, a, b);
    if (group != GROUP_NONE && pairs_take(w->out, m, a, b))
        vec_push(&w->out->list, (struct access_pair){c, t, a, b, group});
}

static void add_access(struct walk *w, ev_id e)
{
    const struct model *m = w->p->m;
    struct span cells = model_cells(m, e);
    bool writes = model_writes(m, e);
    uint32_t done = m->idx[e] + 1;
    if (intent_ignores(w->intent, e))
        return;
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        struct own *last = &w->last[(size_t)c * w->p->k + m->ev[e].thr];
        consider(w, c, last->any, e);
        if (writes && last->write != last->any)
            consider(w, c, last->write, e);
        last->any = done;
        last->write = writes ? done : last->write;
    }
}

static void end_section(struct walk *w, ev_id release)
{
    const struct model *m = w->p->m;
    thr_id t = m->ev[release].thr;
    uint32_t begin = m->idx[m->link[release]], i = w->held[t].len;
    while (i > 0 && w->held[t].at[i - 1] != begin)
        i--;
    CHECK(i > 0);
    memmove(&w->held[t].at[i - 1], &w->held[t].at[i],
            (w->held[t].len - i) * sizeof *w->held[t].at);
    w->held[t].len--;
}

/* As the cells, their threads and those have them; what depends comes last. */
static int by_cell(const void *left, const void *right)
{
    const struct access_pair *x = left, *y = right;
    bool x_late = x->group == GROUP_DEPENDENT, y_late = y->group == GROUP_DEPENDENT;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x_late != y_late)
        return x_late ? 1 : -1;
    if (x_late && x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->thr != y->thr)
        return x->thr < y->thr ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->a < y->a) - (x->a > y->a);
}

void pairs_sort(struct pairs *all)
{
    if (all->list.len > 0)
        qsort(all->list.at, all->list.len, sizeof *all->list.at, by_cell);
}

void pairs_find(const struct predictor *p, const struct intent *intent, struct pairs *out)
{
    const struct model *m = p->m;
    struct walk w = {.p = p, .intent = intent, .out = out, .plain = intent_is_plain(intent)};
    w.last = mem_zeroed((size_t)m->cell_count * p->k + 1, sizeof *w.last);
    w.held = mem_zeroed(p->k + 1, sizeof *w.held);
    for (ev_id e = 0; e < m->ev_count && !(p->stop && p->stop()); e++) {
        struct row r = m->ev[e];
        if (r.kind == EV_ACQUIRE)
            vec_push(&w.held[r.thr], m->idx[e]);
        else if (r.kind == EV_RELEASE)
            end_section(&w, e);
        else if (kind_reads(r.kind) || kind_writes(r.kind, r.detail))
            add_access(&w, e);
    }
    for (thr_id t = 0; t < p->k; t++)
        vec_done(&w.held[t]);
    free(w.held);
    free(w.last);
}

void pairs_done(struct pairs *all)
{
    vec_done(&all->list);
    map_done(&all->seen);
}
