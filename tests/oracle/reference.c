/* SPDX-License-Identifier: Apache-2.0
 *
 * reference: the algorithm of docs/predict.md as it is explained there, on a matrix of what
 * precedes what, without clocks, windows or indices. Slow, short, and sharing nothing with
 * src/predict. Node i is event i; node i + len is the end that an open section of acquire i
 * would have. */
#include "oracle.h"

#include <string.h>

enum { NODES_CAP = 2 * EVENTS_CAP, NO_LIMIT = 1000, LEAVES_MAX = 64 };

struct ref {
    const struct tiny *t;
    enum mode mode;
    const struct query *q;
    int len[THREADS_CAP], firm[THREADS_CAP], limit[THREADS_CAP];
    bool failed, grew;
    bool before[NODES_CAP][NODES_CAP];
    int budget;
};

/* ---- the event set --------------------------------------------------------------------- */

static void grow(struct ref *r, int thr, int p);

static void need(struct ref *r, int e)
{
    grow(r, r->t->ev[e].thr, r->t->ev[e].idx + 1);
}

static void make_firm(struct ref *r, int thr, int c)
{
    const struct tiny *t = r->t;
    int old = r->firm[thr];
    if (r->mode == MODE_SYNC || c <= old)
        return;
    r->firm[thr] = c;
    int fork = t->fork[thr];
    if (r->mode == MODE_SOUND && old < 0 && fork >= 0) {
        need(r, fork);
        make_firm(r, t->ev[fork].thr, t->ev[fork].idx);
    }
    for (int i = old < 0 ? 0 : old; i < c; i++) {
        const struct event *e = &t->ev[t->at[thr][i]];
        if (!op_reads(e->op) || e->obs < 0)
            continue;
        need(r, e->obs);
        if (r->mode == MODE_SOUND)
            make_firm(r, t->ev[e->obs].thr, t->ev[e->obs].idx);
    }
}

static void grow(struct ref *r, int thr, int p)
{
    const struct tiny *t = r->t;
    int old = r->len[thr];
    if (p <= old)
        return;
    r->failed |= p > r->limit[thr];
    r->len[thr] = p;
    r->grew = true;
    if (t->fork[thr] >= 0)
        need(r, t->fork[thr]);
    for (int i = old; i < p; i++) {
        const struct event *e = &t->ev[t->at[thr][i]];
        if (op_decides(e->op))
            make_firm(r, thr, i);
        for (int j = 0; j < e->needs; j++)
            need(r, e->need[j]);
        if (e->op == OP_JOIN) {
            if (t->fork[e->obj] >= 0)
                need(r, t->fork[e->obj]);
            grow(r, e->obj, t->count[e->obj]);
            make_firm(r, e->obj, t->count[e->obj]);
        }
        if (e->notify >= 0) {
            need(r, e->notify);
            need(r, e->pre);
        }
    }
    if (r->mode == MODE_CLASSIC)
        make_firm(r, thr, p - 1);
}

static void start(struct ref *r)
{
    const struct tiny *t = r->t;
    for (uint32_t i = 0; i < r->q->count; i++) {
        int d = (int)r->q->number[i], thr = t->ev[d].thr, idx = t->ev[d].idx;
        if (i < query_ordered(r->q)) {
            need(r, d);
            continue;
        }
        r->failed |= r->limit[thr] != NO_LIMIT || r->len[thr] > idx; /* two cannot be next */
        r->limit[thr] = idx;
        grow(r, thr, idx);
        if (t->fork[thr] >= 0)
            need(r, t->fork[thr]);
        if (t->ev[d].notify >= 0)
            need(r, t->ev[d].notify);
        for (int j = 0; j < t->ev[d].needs; j++)
            need(r, t->ev[d].need[j]);
        if (r->mode == MODE_CLASSIC)
            make_firm(r, thr, idx);
    }
}

/* ---- sections -------------------------------------------------------------------------- */

static bool in(const struct ref *r, int e)
{
    return r->t->ev[e].idx < r->len[r->t->ev[e].thr];
}

static bool is_firm(const struct ref *r, int e)
{
    return op_reads(r->t->ev[e].op) && in(r, e) && r->t->ev[e].idx < r->firm[r->t->ev[e].thr];
}

static bool is_open(const struct ref *r, int a)
{
    return r->t->ev[a].match < 0 || !in(r, r->t->ev[a].match);
}

static bool is_stuck(const struct ref *r, int a)
{
    int match = r->t->ev[a].match;
    return match < 0 || r->t->ev[match].idx >= r->limit[r->t->ev[a].thr];
}

/* The end of the section, real or not. */
static int end_of(const struct ref *r, int a)
{
    return is_open(r, a) ? a + r->t->len : r->t->ev[a].match;
}

static bool rivals(const struct ref *r, int a, int b)
{
    const struct event *x = &r->t->ev[a], *y = &r->t->ev[b];
    return x->op == OP_ACQ && y->op == OP_ACQ && x->obj == y->obj && x->thr != y->thr &&
           !(x->shared && y->shared) && in(r, a) && in(r, b);
}

/* ---- edges ----------------------------------------------------------------------------- */

static void add(struct ref *r, int x, int y)
{
    int n = 2 * r->t->len;
    if (r->failed || r->grew || r->before[x][y])
        return;
    if (x == y || r->before[y][x]) {
        r->failed = true;
        return;
    }
    if (x >= r->t->len) {
        int a = x - r->t->len;
        r->failed |= is_stuck(r, a);
        if (!r->failed)
            need(r, r->t->ev[a].match);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && (i == x || r->before[i][x]); j++)
            if (j == y || r->before[y][j])
                r->before[i][j] = true;
}

static void facts(struct ref *r)
{
    const struct tiny *t = r->t;
    for (int thr = 0; thr < t->threads; thr++) {
        for (int i = 1; i < r->len[thr]; i++)
            add(r, t->at[thr][i - 1], t->at[thr][i]);
        if (t->fork[thr] >= 0 && r->len[thr] > 0)
            add(r, t->fork[thr], t->at[thr][0]);
    }
    for (int e = 0; e < t->len; e++) {
        const struct event *x = &t->ev[e];
        bool asked = false;
        for (uint32_t i = 0; i < r->q->count; i++)
            asked |= r->q->number[i] == (uint64_t)e;
        if (x->notify >= 0 && (in(r, e) || asked))
            add(r, x->pre, x->notify);
        if (!in(r, e))
            continue;
        if (x->op == OP_ACQ && is_open(r, e))
            for (int i = 0; i < r->len[x->thr]; i++) /* behind all of its thread */
                if (!r->before[t->at[x->thr][i]][e + t->len])
                    add(r, t->at[x->thr][i], e + t->len);
        if (x->op == OP_JOIN && t->count[x->obj] > 0)
            add(r, t->at[x->obj][t->count[x->obj] - 1], e);
        if (x->op == OP_JOIN && t->fork[x->obj] >= 0)
            add(r, t->fork[x->obj], e);
        if (x->notify >= 0)
            add(r, x->notify, e);
        for (int i = 0; i < x->needs; i++)
            add(r, x->need[i], e);
        for (int i = e + 1; op_looks(x->op) && i < t->len; i++)
            if (t->ev[i].op == OP_CHANGE && t->ev[i].obj == x->obj && in(r, i))
                add(r, e, i);
        if (is_firm(r, e) && x->obs >= 0)
            add(r, x->obs, e);
    }
    for (uint32_t i = 0; i + 1 < query_ordered(r->q); i++)
        add(r, (int)r->q->number[i], (int)r->q->number[i + 1]);
}

static void rule_data(struct ref *r, int read, int w)
{
    int obs = r->t->ev[read].obs;
    if (w == obs)
        return;
    if (obs < 0) {
        add(r, read, w);
        return;
    }
    if (r->before[w][read])
        add(r, w, obs);
    if (r->before[obs][w])
        add(r, read, w);
}

static void rule_locks(struct ref *r, int a1, int a2)
{
    if (r->before[a1][end_of(r, a2)])
        add(r, end_of(r, a1), a2);
    if (is_open(r, a1) && is_stuck(r, a1))
        add(r, end_of(r, a2), a1);
}

static void rule_adjacent(struct ref *r, int a, int b)
{
    for (int e = 0; e < r->t->len; e++) {
        if (!in(r, e))
            continue;
        if (e != a && r->before[e][b])
            add(r, e, a);
        if (e != b && r->before[a][e])
            add(r, b, e);
    }
}

static bool same(const struct ref *r, const struct ref *old)
{
    return memcmp(r->before, old->before, sizeof r->before) == 0;
}

static void close_rules(struct ref *r)
{
    const struct tiny *t = r->t;
    static struct ref old;
    do {
        old = *r;
        for (int a = 0; a < t->len; a++)
            for (int b = 0; b < t->len && !r->failed && !r->grew; b++) {
                if (is_firm(r, a) && t->ev[b].op == OP_W && t->ev[b].obj == t->ev[a].obj &&
                    in(r, b))
                    rule_data(r, a, b);
                if (rivals(r, a, b))
                    rule_locks(r, a, b);
            }
        for (uint32_t i = 0; i + 1 < r->q->count; i++)
            if (r->q->adjacent >> i & 1)
                rule_adjacent(r, (int)r->q->number[i], (int)r->q->number[i + 1]);
    } while (!r->failed && !r->grew && !same(r, &old));
}

/* 4.4 */
static bool saturate(struct ref *r)
{
    do {
        r->grew = false;
        memset(r->before, 0, sizeof r->before);
        facts(r);
        close_rules(r);
    } while (r->grew && !r->failed);
    return !r->failed;
}

/* ---- order ----------------------------------------------------------------------------- */

struct run {
    int pos[THREADS_CAP], mem[VARS_CAP], owner[LOCKS_CAP], readers[LOCKS_CAP];
    int done; /* events */
};

static bool outstanding(const struct ref *r, const struct run *x, int w, int var)
{
    for (int e = 0; e < r->t->len; e++)
        if (is_firm(r, e) && r->t->ev[e].obs == w && r->t->ev[e].obj == var &&
            r->t->ev[e].idx >= x->pos[r->t->ev[e].thr])
            return true;
    return false;
}

static bool admissible(const struct ref *r, const struct run *x, int id)
{
    const struct event *e = &r->t->ev[id];
    if (e->idx != x->pos[e->thr] || !in(r, id))
        return false;
    for (int o = 0; o < r->t->len; o++)
        if (r->before[o][id] && r->t->ev[o].idx >= x->pos[r->t->ev[o].thr])
            return false;
    if (e->op == OP_ACQ)
        return x->owner[e->obj] < 0 && (e->shared || x->readers[e->obj] == 0);
    if (is_firm(r, id))
        return x->mem[e->obj] == e->obs;
    return e->op != OP_W || !outstanding(r, x, x->mem[e->obj], e->obj);
}

static void execute(const struct ref *r, struct run *x, int id)
{
    const struct event *e = &r->t->ev[id];
    x->pos[e->thr]++;
    x->done++;
    if (e->op == OP_W)
        x->mem[e->obj] = id;
    if (e->op == OP_ACQ && !e->shared)
        x->owner[e->obj] = e->thr;
    if (e->op == OP_REL && !e->shared)
        x->owner[e->obj] = -1;
    if (e->shared)
        x->readers[e->obj] += e->op == OP_ACQ ? 1 : -1;
}

/* With what has to stand beside it; false if that cannot be. */
static bool execute_chain(const struct ref *r, struct run *x, int id)
{
    const struct query *q = r->q;
    for (uint32_t i = 0; i < q->count; i++)
        if (q->number[i] == (uint64_t)id && i > 0 && (q->adjacent >> (i - 1) & 1))
            return false;
    struct run next = *x;
    execute(r, &next, id);
    for (uint32_t i = 0; i + 1 < q->count; i++) {
        if (q->number[i] != (uint64_t)id || !(q->adjacent >> i & 1))
            continue;
        id = (int)q->number[i + 1];
        if (!admissible(r, &next, id))
            return false;
        execute(r, &next, id);
    }
    *x = next;
    return true;
}

static bool linearise(const struct ref *r)
{
    struct run x = {0};
    int all = 0;
    memset(x.mem, 0xff, sizeof x.mem);
    memset(x.owner, 0xff, sizeof x.owner);
    for (int thr = 0; thr < r->t->threads; thr++)
        all += r->len[thr];
    while (x.done < all) {
        int id = 0;
        while (id < r->t->len && !(admissible(r, &x, id) && execute_chain(r, &x, id)))
            id++;
        if (id == r->t->len)
            return false;
    }
    return true;
}

/* Is the pair one whose order matters? */
static bool conflict(const struct ref *r, int a, int b)
{
    const struct event *x = &r->t->ev[a], *y = &r->t->ev[b];
    if (x->op == OP_REL && y->op == OP_ACQ)
        return x->obj == y->obj && x->thr != y->thr && !(x->shared && y->shared);
    if (x->obj != y->obj || (!op_reads(x->op) && x->op != OP_W) ||
        (!op_reads(y->op) && y->op != OP_W))
        return false;
    for (int e = 0; e < r->t->len; e++) {
        if (!is_firm(r, e) || r->t->ev[e].obj != x->obj)
            continue;
        int obs = r->t->ev[e].obs;
        bool is_a = e == a || obs == a, is_b = e == b || obs == b;
        if ((is_a && y->op == OP_W && b != obs) || (is_b && x->op == OP_W && a != obs))
            return true;
    }
    return false;
}

static bool order_pairs(struct ref *r)
{
    for (int a = 0; a < r->t->len; a++)
        for (int b = a + 1; b < r->t->len; b++) {
            if (!in(r, a) || !in(r, b) || r->before[a][b] || r->before[b][a] ||
                !conflict(r, a, b))
                continue;
            add(r, a, b);
            close_rules(r);
            if (r->failed || r->grew)
                return false;
        }
    return true;
}

/* ---- open sections --------------------------------------------------------------------- */

static int undecided(const struct ref *r)
{
    for (int a = 0; a < r->t->len; a++)
        for (int b = 0; b < r->t->len; b++)
            if (rivals(r, a, b) && is_open(r, a) && !is_stuck(r, a))
                return r->t->ev[a].obj;
    return -1;
}

static bool search(struct ref *r)
{
    if (!saturate(r) || r->budget == 0)
        return false;
    int lock = undecided(r);
    if (lock < 0) {
        r->budget--;
        return linearise(r) || (order_pairs(r) && linearise(r));
    }
    struct ref *try = mem_get(sizeof *try);
    bool found = false;
    for (int a = r->t->len; a-- > 0 && !found;) {
        if (r->t->ev[a].op != OP_ACQ || r->t->ev[a].obj != lock || !in(r, a) ||
            !is_open(r, a) || is_stuck(r, a))
            continue;
        *try = *r;
        try->limit[r->t->ev[a].thr] = r->t->ev[r->t->ev[a].match].idx;
        found = search(try);
        r->budget = try->budget;
    }
    for (int a = 0; a < r->t->len && !found; a++)
        if (r->t->ev[a].op == OP_ACQ && r->t->ev[a].obj == lock && in(r, a) && is_open(r, a) &&
            !is_stuck(r, a))
            need(r, r->t->ev[a].match);
    found = found || (!r->failed && search(r));
    free(try);
    return found;
}

enum verdict reference(const struct tiny *t, enum mode mode, const struct query *q)
{
    struct ref *r = mem_get(sizeof *r);
    memset(r, 0, sizeof *r);
    r->t = t;
    r->mode = mode;
    r->q = q;
    r->budget = LEAVES_MAX;
    for (int thr = 0; thr < THREADS_CAP; thr++) {
        r->firm[thr] = -1;
        r->limit[thr] = NO_LIMIT;
    }
    start(r);
    enum verdict v = REFERENCE_NO;
    if (!r->failed && saturate(r))
        v = search(r) ? REFERENCE_YES : REFERENCE_NOT_FOUND;
    free(r);
    return v;
}
