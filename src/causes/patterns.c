/* SPDX-License-Identifier: Apache-2.0
 *
 * patterns: one walk over the accesses in the order of the run. Each cell remembers its last
 * write, the reads since, and what each thread did to it last; that gives pairs and triples.
 * Pairs are kept as edges at both their ends; two edges between the same threads that run in
 * opposite directions are a quadruple. */
#include "causes/patterns.h"

#include "base/stop.h"

#include <string.h>

enum {
    READS_MAX = 32, /* since the last write that are remembered, the newest ones */
    CELLS_MAX = 8   /* of one access that are looked at */
};

#define R false
#define W true
/* clang-format off */
const struct pattern_row pattern_rows[18] = {
    [1]  = {2, {{0, 0, R}, {1, 0, W}}},
    [2]  = {2, {{0, 0, W}, {1, 0, R}}},
    [3]  = {2, {{0, 0, W}, {1, 0, W}}},
    [4]  = {3, {{0, 0, R}, {1, 0, W}, {0, 0, R}}},
    [5]  = {3, {{0, 0, W}, {1, 0, W}, {0, 0, R}}},
    [6]  = {3, {{0, 0, W}, {1, 0, R}, {0, 0, W}}},
    [7]  = {3, {{0, 0, R}, {1, 0, W}, {0, 0, W}}},
    [8]  = {3, {{0, 0, W}, {1, 0, W}, {0, 0, W}}},
    [9]  = {4, {{0, 0, W}, {1, 0, W}, {1, 1, W}, {0, 1, W}}},
    [10] = {4, {{0, 0, W}, {1, 1, W}, {1, 0, W}, {0, 1, W}}},
    [11] = {4, {{0, 0, W}, {1, 1, W}, {0, 1, W}, {1, 0, W}}},
    [12] = {4, {{0, 0, W}, {1, 0, R}, {1, 1, R}, {0, 1, W}}},
    [13] = {4, {{0, 0, W}, {1, 1, R}, {1, 0, R}, {0, 1, W}}},
    [14] = {4, {{0, 0, R}, {1, 0, W}, {1, 1, W}, {0, 1, R}}},
    [15] = {4, {{0, 0, R}, {1, 1, W}, {1, 0, W}, {0, 1, R}}},
    [16] = {4, {{0, 0, R}, {1, 1, W}, {0, 1, R}, {1, 0, W}}},
    [17] = {4, {{0, 0, W}, {1, 1, R}, {0, 1, W}, {1, 0, R}}},
};
/* clang-format on */
#undef R
#undef W

/* The number of the pattern with these steps; 0: there is none. */
static uint32_t pattern_of(const struct pattern_row *row)
{
    for (uint32_t p = 1; p < 18; p++) {
        const struct pattern_row *known = &pattern_rows[p];
        uint32_t i = 0;
        while (i < row->count && known->step[i].thread == row->step[i].thread &&
               known->step[i].variable == row->step[i].variable &&
               known->step[i].writes == row->step[i].writes)
            i++;
        if (known->count == row->count && i == row->count)
            return p;
    }
    return 0;
}

/* ---- cells ------------------------------------------------------------------------------- */

/* What one thread did to one cell last. */
struct user {
    thr_id thr;
    ev_id last[2];               /* read, write */
    ev_id recent[PATTERN_LOCAL]; /* of any sort, the newest first */
};

struct cell_state {
    ev_id write; /* NONE: there was none */
    VEC(ev_id) reads;
    VEC(struct user) users;
};

/* A pair of one cell, seen from one of its ends. */
struct edge {
    ev_id other;
    cell_id cell;
    bool own_writes, other_writes;
    uint32_t next; /* of the same event */
};

struct miner {
    const struct model *m;
    pattern_visit visit;
    void *arg;
    struct cell_state *cells;
    VEC(struct edge) edges;
    uint32_t *in, *out; /* by event: its first edge to an earlier, to a later one */
    uint32_t *place;    /* by event: which access of its thread it is */
};

static thr_id thr_of(const struct miner *x, ev_id e)
{
    return x->m->ev[e].thr;
}

static struct user *user_of(struct cell_state *c, thr_id thr)
{
    for (uint32_t i = 0; i < c->users.len; i++)
        if (c->users.at[i].thr == thr)
            return &c->users.at[i];
    struct user u = {.thr = thr, .last = {NONE, NONE}};
    memset(u.recent, 0xff, sizeof u.recent);
    vec_push(&c->users, u);
    return &c->users.at[c->users.len - 1];
}

static void tell(struct miner *x, uint32_t pattern, const ev_id *ev, cell_id first,
                 cell_id second)
{
    if (pattern == 0)
        return;
    struct mined found = {.pattern = pattern, .cell = {first, second}};
    memcpy(found.ev, ev, pattern_rows[pattern].count * sizeof *ev);
    x->visit(x->arg, &found);
}

/* ---- 1 to 3 ----------------------------------------------------------------------------- */

static void add_edge(struct miner *x, cell_id c, ev_id from, bool from_writes, ev_id to,
                     bool to_writes)
{
    if (thr_of(x, from) == thr_of(x, to))
        return;
    struct pattern_row row = {2, {{0, 0, from_writes}, {1, 0, to_writes}}};
    tell(x, pattern_of(&row), (ev_id[]){from, to}, c, NONE);
    vec_push(&x->edges, (struct edge){from, c, to_writes, from_writes, x->in[to]});
    x->in[to] = x->edges.len - 1;
    vec_push(&x->edges, (struct edge){to, c, from_writes, to_writes, x->out[from]});
    x->out[from] = x->edges.len - 1;
}

static void find_pairs(struct miner *x, cell_id c, ev_id e)
{
    struct cell_state *s = &x->cells[c];
    if (model_reads(x->m, e) && s->write != NONE)
        add_edge(x, c, s->write, true, e, false);
    if (model_writes(x->m, e)) {
        if (s->write != NONE)
            add_edge(x, c, s->write, true, e, true);
        for (uint32_t i = 0; i < s->reads.len; i++)
            add_edge(x, c, s->reads.at[i], false, e, true);
    }
}

/* ---- 4 to 8 ----------------------------------------------------------------------------- */

/* p and e are of the same thread; both of what an update does is tried. */
static void find_between(struct miner *x, cell_id c, ev_id p, ev_id e)
{
    struct cell_state *s = &x->cells[c];
    for (uint32_t sorts = 0; sorts < 8; sorts++) {
        bool first = sorts & 1, between = sorts & 2, last = sorts & 4;
        struct pattern_row row = {3, {{0, 0, first}, {1, 0, between}, {0, 0, last}}};
        uint32_t pattern = pattern_of(&row);
        if (pattern == 0 || !(first ? model_writes(x->m, p) : model_reads(x->m, p)) ||
            !(last ? model_writes(x->m, e) : model_reads(x->m, e)))
            continue;
        for (uint32_t i = 0; i < s->users.len; i++) {
            ev_id q = s->users.at[i].last[between];
            if (s->users.at[i].thr != thr_of(x, e) && q != NONE && q > p)
                tell(x, pattern, (ev_id[]){p, q, e}, c, NONE);
        }
    }
}

/* In a loop a site is met again and again: the step before is its latest access, not one of an
 * earlier turn, which every run has. */
static bool is_outdated(const struct miner *x, const struct user *own, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (model_site(x->m, own->recent[k]) == model_site(x->m, own->recent[i]))
            return true;
    return false;
}

static void find_triples(struct miner *x, cell_id c, ev_id e)
{
    struct user *own = user_of(&x->cells[c], thr_of(x, e));
    for (uint32_t i = 0; i < PATTERN_LOCAL && own->recent[i] != NONE; i++)
        if (!is_outdated(x, own, i))
            find_between(x, c, own->recent[i], e);
}

static void remember(struct miner *x, cell_id c, ev_id e)
{
    struct cell_state *s = &x->cells[c];
    struct user *own = user_of(s, thr_of(x, e));
    memmove(own->recent + 1, own->recent, sizeof own->recent - sizeof *own->recent);
    own->recent[0] = e;
    if (model_writes(x->m, e)) {
        own->last[1] = e;
        s->write = e;
        s->reads.len = 0;
    }
    if (model_reads(x->m, e)) {
        own->last[0] = e;
        if (model_writes(x->m, e))
            return; /* an update reads before it writes */
        if (s->reads.len == READS_MAX)
            memmove(s->reads.at, s->reads.at + 1, --s->reads.len * sizeof *s->reads.at);
        vec_push(&s->reads, e);
    }
}

/* ---- 9 to 17 ---------------------------------------------------------------------------- */

static bool is_near(const struct miner *x, ev_id a, ev_id b)
{
    uint32_t p = x->place[a], q = x->place[b];
    return (p < q ? q - p : p - q) <= PATTERN_NEAR;
}

/* first -> there on x, back -> last on y, the first and the last of one thread. */
static void find_crossing(struct miner *x, ev_id first, const struct edge *there, ev_id last,
                          const struct edge *back)
{
    ev_id bx = there->other, by = back->other;
    if (there->cell == back->cell || thr_of(x, bx) != thr_of(x, by) || bx == by || by < first ||
        !is_near(x, bx, by))
        return;
    struct pattern_step ax = {0, 0, there->own_writes}, ay = {0, 1, back->own_writes};
    struct pattern_step sx = {1, 0, there->other_writes}, sy = {1, 1, back->other_writes};
    struct pattern_row row = {4, {ax, sx, sy, ay}};
    ev_id ev[PATTERN_STEPS] = {first, bx, by, last};
    if (by < bx && bx < last) {
        row = (struct pattern_row){4, {ax, sy, sx, ay}};
        ev[1] = by;
        ev[2] = bx;
    } else if (by < bx) {
        row = (struct pattern_row){4, {ax, sy, ay, sx}};
        ev[1] = by;
        ev[2] = last;
        ev[3] = bx;
    }
    tell(x, pattern_of(&row), ev, there->cell, back->cell);
}

static void find_quadruples(struct miner *x, ev_id last, const ev_id *before, uint32_t count)
{
    for (uint32_t b = x->in[last]; b != NONE; b = x->edges.at[b].next)
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t t = x->out[before[i]]; t != NONE; t = x->edges.at[t].next) {
                struct edge there = x->edges.at[t], back = x->edges.at[b];
                find_crossing(x, before[i], &there, last, &back);
            }
}

/* After the walk: an edge may lead to what comes later. */
static void cross_thread(struct miner *x, thr_id thr)
{
    const struct model_thread *t = &x->m->threads[thr];
    ev_id recent[PATTERN_NEAR];
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->len; i++) {
        ev_id e = x->m->by_thread[t->first + i];
        if (!model_touches(x->m, e))
            continue;
        find_quadruples(x, e, recent, count);
        if (count == PATTERN_NEAR)
            memmove(recent, recent + 1, --count * sizeof *recent);
        recent[count++] = e;
    }
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void visit_access(struct miner *x, ev_id e)
{
    struct span cells = model_cells(x->m, e);
    uint32_t count = cells.count < CELLS_MAX ? cells.count : CELLS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        find_pairs(x, cells.first + i, e);
        find_triples(x, cells.first + i, e);
        remember(x, cells.first + i, e);
    }
}

void patterns_mine(const struct model *m, pattern_visit visit, void *arg)
{
    size_t bytes = (m->ev_count + 1) * sizeof(uint32_t);
    struct miner x = {.m = m, .visit = visit, .arg = arg};
    uint32_t *seen = mem_zeroed(m->thread_count + 1, sizeof *seen);
    x.cells = mem_zeroed(m->cell_count + 1, sizeof *x.cells);
    x.in = mem_get(bytes);
    x.out = mem_get(bytes);
    x.place = mem_get(bytes);
    memset(x.in, 0xff, bytes);
    memset(x.out, 0xff, bytes);
    for (uint32_t c = 0; c < m->cell_count; c++)
        x.cells[c].write = NONE;
    for (ev_id e = 0; e < m->ev_count && !stop_signal(); e++)
        if (model_touches(m, e)) {
            x.place[e] = seen[m->ev[e].thr]++;
            visit_access(&x, e);
        }
    for (thr_id t = 0; t < m->thread_count; t++)
        cross_thread(&x, t);
    for (uint32_t c = 0; c < m->cell_count; c++) {
        vec_done(&x.cells[c].reads);
        vec_done(&x.cells[c].users);
    }
    vec_done(&x.edges);
    free(x.cells);
    free(x.in);
    free(x.out);
    free(x.place);
    free(seen);
}
