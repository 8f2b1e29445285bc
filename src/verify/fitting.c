/* SPDX-License-Identifier: Apache-2.0
 *
 * fitting: a program that fails in several schedules is best verified with one that the change
 * does not hinder: if the order of its accesses fits with the locks that the program after
 * takes, following it is likely to fail again. Which of them fit is asked of the same order
 * that groups violations: the last pairs of accesses that met in the failing run are added to
 * it, and those that cannot be are counted. */
#include "verify/judge.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 96, READERS_MAX = 4 };

struct met {
    ev_id writer, readers[READERS_MAX];
    uint32_t reader_count;
};

struct meeting {
    const struct model *m;
    const uint32_t *rank;
    struct met *cells;
    VEC(ev_id) pairs; /* two by two, in the order of the failing run */
};

static void add_pair(struct meeting *k, ev_id a, ev_id b)
{
    if (a == NONE || k->m->ev[a].thr == k->m->ev[b].thr)
        return;
    vec_push(&k->pairs, a);
    vec_push(&k->pairs, b);
}

static void meet(struct meeting *k, ev_id e)
{
    struct span cells = model_cells(k->m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        struct met *at = &k->cells[c];
        add_pair(k, at->writer, e);
        if (!model_writes(k->m, e)) {
            at->readers[at->reader_count++ % READERS_MAX] = e;
            continue;
        }
        for (uint32_t i = 0; i < at->reader_count && i < READERS_MAX; i++)
            add_pair(k, at->readers[i], e);
        at->writer = e;
        at->reader_count = 0;
    }
}

struct ranked {
    uint32_t rank;
    ev_id e;
};

static int by_rank(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void meet_all(struct meeting *k)
{
    VEC(struct ranked) all = {0};
    for (ev_id e = 0; e < k->m->ev_count; e++)
        if (k->rank[e] != NONE && ev_acts_on(k->m->ev[e].kind) == ON_MEMORY)
            vec_push(&all, (struct ranked){k->rank[e], e});
    if (all.len > 1)
        qsort(all.at, all.len, sizeof *all.at, by_rank);
    for (uint32_t i = 0; i < all.len; i++)
        meet(k, all.at[i].e);
    vec_done(&all);
}

/* How many of the last pairs do not fit; NONE: it has none. */
static uint32_t count_misfits(const struct meeting *k, const struct must *must)
{
    AUTO(order) struct order *o = order_new(must);
    uint32_t misfits = 0, tried = 0;
    CHECK(k->pairs.len % 2 == 0);
    for (uint32_t i = k->pairs.len; i > 0 && tried < PAIRS_MAX; i -= 2, tried++) {
        const ev_id pair[1][2] = {{k->pairs.at[i - 2], k->pairs.at[i - 1]}};
        if (!order_add(o, pair, 1)) {
            if (order_is_full(o))
                break;
            misfits++;
        }
    }
    return tried == 0 ? NONE : misfits;
}

/* The fresh run of the program after, to compare with. */
struct fresh {
    struct trace t;
    struct model *m;
    struct must *must;
    struct names names;
};

static void auto_fresh(struct fresh *f)
{
    must_free(f->must);
    model_free(f->m);
    names_done(&f->names);
    trace_close(&f->t);
}

static int open_fresh(struct fresh *f, const struct judge *j, struct err *err)
{
    if (trace_open_in(&f->t, j->fresh.at, err) < 0 ||
        !(f->m = model_build(&f->t, &(struct model_opts){0}, err)) ||
        names_make(&f->names, &f->t, NULL, err) < 0)
        return -1;
    f->must = must_new(f->m);
    return 0;
}

static int measure(struct judge *j, const struct fresh *f, const char *directory,
                   uint32_t *misfits, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    struct names walked = {0}, before = {0};
    struct site_map sites = {0};
    if (trace_open_in(&t, directory, err) < 0 || names_make(&walked, &t, NULL, err) < 0)
        return -1;
    names_done(&walked);
    site_map_make(&sites, &t, &f->t, j->o);
    int result = names_make(&before, &t, sites.name, err);
    uint32_t *rank = mem_get((f->m->ev_count + 1) * sizeof *rank);
    for (ev_id e = 0; e < f->m->ev_count; e++)
        rank[e] = names_find(&before, f->names.of[model_number(f->m, e)]);
    struct meeting k = {.m = f->m, .rank = rank};
    k.cells = mem_zeroed(f->m->cell_count + 1, sizeof *k.cells);
    for (cell_id c = 0; c < f->m->cell_count; c++)
        k.cells[c].writer = NONE;
    meet_all(&k);
    *misfits = count_misfits(&k, f->must);
    vec_done(&k.pairs);
    free(k.cells);
    free(rank);
    names_done(&before);
    site_map_done(&sites);
    return result;
}

/* The second one to follow had better fail in another way. */
static void vary(struct judge *j)
{
    for (uint32_t i = 1; i < j->found.len; i++) {
        if (strcmp(j->found.at[i].kind, j->found.at[0].kind) == 0)
            continue;
        struct failing other = j->found.at[i];
        memmove(&j->found.at[2], &j->found.at[1], (i - 1) * sizeof other);
        j->found.at[1] = other;
        return;
    }
}

int failing_choose(struct judge *j, struct err *err)
{
    __attribute__((cleanup(auto_fresh))) struct fresh f = {0};
    if (j->found.len < 2)
        return 0;
    if (open_fresh(&f, j, err) < 0)
        return -1;
    for (uint32_t i = 0; i < j->found.len; i++) {
        struct failing *at = j->found.at;
        if (measure(j, &f, at[i].directory, &at[i].misfits, err) < 0)
            return -1;
        for (uint32_t k = i; k > 0 && at[k].misfits < at[k - 1].misfits; k--) {
            struct failing swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
    }
    vary(j);
    return before_take(j, j->found.at[0].directory, err);
}
