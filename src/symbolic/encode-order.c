/* SPDX-License-Identifier: Apache-2.0
 *
 * encode-order: literals for the order of two nodes. The solver does not know that orders must
 * not go in circles: where a solution has circles, they are forbidden one by one (clauses over
 * the literals on them), and it is asked again. In the end the nodes are put in one order. */
#include "symbolic/encode.h"

#include "base/err.h"

#include <string.h>

void group_begin(struct encoder *e, enum hinder_kind kind, uint32_t what)
{
    if (!e->explains)
        return;
    uint32_t i = e->reasons.len;
    while (i > 0 && (e->reasons.at[i - 1].kind != kind || e->reasons.at[i - 1].what != what))
        i--;
    if (i == 0) {
        vec_push(&e->reasons, (struct hinder){kind, what});
        vec_push(&e->reason_lits, solver_bool(e->s));
        i = e->reasons.len;
    }
    e->group = e->reason_lits.at[i - 1];
}

void clause_end(struct encoder *e)
{
    uint32_t count = 0;
    if (e->group)
        vec_push(&e->clause, -e->group);
    for (uint32_t i = 0; i < e->clause.len; i++) {
        if (e->clause.at[i] == e->yes)
            return;
        if (e->clause.at[i] != -e->yes)
            e->clause.at[count++] = e->clause.at[i];
    }
    solver_clause(e->s, e->clause.at, count);
    e->stat.clauses++;
}

lit node_is_before(struct encoder *e, node_id a, node_id b)
{
    const struct node *x = node_at(e, a), *y = node_at(e, b);
    if (x->thr == y->thr)
        return x->idx < y->idx ? e->yes : -e->yes;
    if (a < e->from)
        return e->yes;
    if (!is_open(e, a) || !is_open(e, b))
        return -e->yes;
    uint32_t *at = map_at(&e->atom_of, (uint64_t)a << 32 | b);
    if (*at == NONE) {
        *at = e->atoms.len;
        vec_push(&e->atoms, (struct atom){a, b, solver_bool(e->s)});
        e->stat.orders++;
    }
    return e->atoms.at[*at].l;
}

void give_order(struct encoder *e, node_id a, node_id b)
{
    clause_begin(e);
    clause_add(e, -executed(e, b));
    clause_add(e, executed(e, a));
    clause_end(e);
    if (is_open(e, a) && is_open(e, b))
        vec_push(&e->given, (struct given){a, b, e->group});
}

/* ---- the solution as a graph ------------------------------------------------------------- */

struct edge {
    uint32_t to; /* node - from */
    lit l;       /* that it rests on; 0: on the program's order */
    lit group;   /* and on this reason; 0: on none */
};

struct graph {
    struct encoder *e;
    uint32_t count; /* nodes, executed or not */
    bool *is_in;    /* by node: executed in the solution */
    uint32_t *first;
    struct edge *edges; /* beside those of the program's order */
    uint32_t *degree;   /* how many edges come in */
};

static uint32_t next_of(const struct graph *g, uint32_t at)
{
    const struct node *n = node_at(g->e, at + g->e->from);
    const struct path *path = &g->e->p->paths.at[n->thr];
    if (n->idx + 1 >= g->e->stop[n->thr])
        return NONE;
    uint32_t next = path->nodes.at[n->idx + 1] - g->e->from;
    return g->is_in[next] ? next : NONE;
}

/* Edges of the solution, as lists from, to, literal. */
struct pair {
    uint32_t from, to;
    lit l, group;
};
typedef VEC(struct pair) pair_list;

static void add_pair(const struct graph *g, pair_list *out, node_id a, node_id b, lit l,
                     lit group)
{
    uint32_t from = a - g->e->from, to = b - g->e->from;
    if (g->is_in[from] && g->is_in[to])
        vec_push(out, (struct pair){from, to, l, group});
}

static void fill_edges(struct graph *g, const pair_list *pairs)
{
    g->first = mem_zeroed(g->count + 2, sizeof *g->first);
    g->degree = mem_zeroed(g->count + 1, sizeof *g->degree);
    g->edges = mem_zeroed(pairs->len + 1, sizeof *g->edges);
    for (uint32_t i = 0; i < pairs->len; i++) {
        g->first[pairs->at[i].from + 2]++;
        g->degree[pairs->at[i].to]++;
    }
    for (uint32_t i = 2; i < g->count + 2; i++)
        g->first[i] += g->first[i - 1];
    for (uint32_t i = 0; i < pairs->len; i++)
        g->edges[g->first[pairs->at[i].from + 1]++] =
            (struct edge){pairs->at[i].to, pairs->at[i].l, pairs->at[i].group};
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t next = g->is_in[i] ? next_of(g, i) : NONE;
        if (next != NONE)
            g->degree[next]++;
    }
}

static void graph_build(struct graph *g, struct encoder *e)
{
    pair_list pairs = {0};
    *g = (struct graph){.e = e, .count = e->end - e->from};
    g->is_in = mem_zeroed(g->count + 1, sizeof *g->is_in);
    bool *does = mem_zeroed(e->stretches.len + 1, sizeof *does);
    for (uint32_t i = 0; i < e->stretches.len; i++)
        does[i] = solver_value(e->s, e->stretches.at[i].executed);
    for (uint32_t i = 0; i < g->count; i++)
        g->is_in[i] = is_open(e, i + e->from) && does[e->stretch_of[i]];
    free(does);
    for (uint32_t i = 0; i < e->atoms.len; i++)
        if (solver_value(e->s, e->atoms.at[i].l))
            add_pair(g, &pairs, e->atoms.at[i].a, e->atoms.at[i].b, e->atoms.at[i].l, 0);
    for (uint32_t i = 0; i < e->given.len; i++) {
        const struct given *x = &e->given.at[i];
        if (!x->group || solver_value(e->s, x->group))
            add_pair(g, &pairs, x->a, x->b, executed(e, x->b), x->group);
    }
    fill_edges(g, &pairs);
    vec_done(&pairs);
}

static void graph_done(struct graph *g)
{
    free(g->is_in);
    free(g->first);
    free(g->edges);
    free(g->degree);
}

/* ---- circles ----------------------------------------------------------------------------- */

typedef VEC(uint32_t) index_list;

/* Takes away what no edge leads to, again and again; what stays has circles before it. */
static bool *nodes_left(const struct graph *g)
{
    bool *left = mem_get(g->count + 1);
    uint32_t *degree = mem_get((g->count + 1) * sizeof *degree);
    index_list ready = {0};
    memcpy(left, g->is_in, g->count);
    memcpy(degree, g->degree, g->count * sizeof *degree);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->is_in[i] && degree[i] == 0)
            vec_push(&ready, i);
    while (ready.len) {
        uint32_t at = ready.at[--ready.len], next = next_of(g, at);
        left[at] = false;
        if (next != NONE && --degree[next] == 0)
            vec_push(&ready, next);
        for (uint32_t i = g->first[at]; i < g->first[at + 1]; i++)
            if (--degree[g->edges[i].to] == 0)
                vec_push(&ready, g->edges[i].to);
    }
    vec_done(&ready);
    free(degree);
    return left;
}

struct search {
    uint32_t *parent; /* NONE: not seen */
    lit *by, *group;  /* the literals of the edge from there */
    index_list queue;
};

static void visit(struct search *s, const bool *left, uint32_t from, uint32_t to, lit by,
                  lit group)
{
    if (to == NONE || !left[to] || s->parent[to] != NONE)
        return;
    s->parent[to] = from;
    s->by[to] = by;
    s->group[to] = group;
    vec_push(&s->queue, to);
}

/* The shortest way from one node to another. */
static bool find_way(const struct graph *g, const bool *left, struct search *s, uint32_t from,
                     uint32_t to)
{
    for (uint32_t i = 0; i < s->queue.len; i++)
        s->parent[s->queue.at[i]] = NONE;
    s->queue.len = 0;
    vec_push(&s->queue, from);
    s->parent[from] = from;
    s->by[from] = s->group[from] = 0;
    for (uint32_t i = 0; i < s->queue.len && s->parent[to] == NONE; i++) {
        uint32_t at = s->queue.at[i];
        visit(s, left, at, next_of(g, at), 0, 0);
        for (uint32_t k = g->first[at]; k < g->first[at + 1]; k++)
            visit(s, left, at, g->edges[k].to, g->edges[k].l, g->edges[k].group);
    }
    return s->parent[to] != NONE;
}

static void add_not(struct encoder *e, lit l, lit group)
{
    if (l)
        clause_add(e, -l);
    if (group)
        clause_add(e, -group);
}

enum { CIRCLES_MAX = 100 };

/* Forbids the shortest circle through each edge, up to so many. */
static uint32_t forbid_circles(const struct graph *g, const bool *left)
{
    struct encoder *e = g->e;
    struct search s = {.parent = mem_get((g->count + 1) * sizeof *s.parent),
                       .by = mem_zeroed(g->count + 1, sizeof *s.by),
                       .group = mem_zeroed(g->count + 1, sizeof *s.group)};
    uint32_t found = 0;
    memset(s.parent, 0xff, (g->count + 1) * sizeof *s.parent);
    for (uint32_t a = 0; a < g->count && found < CIRCLES_MAX; a++)
        for (uint32_t k = g->first[a]; left[a] && k < g->first[a + 1]; k++) {
            uint32_t b = g->edges[k].to;
            if (!left[b] || !find_way(g, left, &s, b, a))
                continue;
            clause_begin(e);
            add_not(e, g->edges[k].l, g->edges[k].group);
            for (uint32_t at = a; at != b; at = s.parent[at])
                add_not(e, s.by[at], s.group[at]);
            clause_end(e);
            found++;
        }
    vec_done(&s.queue);
    free(s.parent);
    free(s.by);
    free(s.group);
    return found;
}

bool orders_refine(struct encoder *e)
{
    struct graph g;
    graph_build(&g, e);
    bool *left = nodes_left(&g);
    bool has_circles = forbid_circles(&g, left) > 0;
    free(left);
    graph_done(&g);
    return has_circles;
}

/* ---- one order --------------------------------------------------------------------------- */

/* The last node of a thread that has to be executed for it to stand before this one; or what
 * created the thread. NONE: it stands there already. */
static node_id reached_by(const struct encoder *e, node_id n)
{
    const struct node *node = node_at(e, n);
    if (node->idx > 0)
        return thread_node(e, node->thr, node->idx - 1);
    return e->p->paths.at[node->thr].create;
}

/* Marks what the goal needs: everything that comes before it in the solution. */
static bool *nodes_needed(const struct graph *g)
{
    const struct encoder *e = g->e;
    bool *needed = mem_zeroed(g->count + 1, sizeof *needed);
    for (uint32_t i = 0; i < e->g->count; i++) {
        node_id n = goal_happens(e->g) ? e->g->node[i] : reached_by(e, e->g->node[i]);
        if (n != NONE && n >= e->from)
            needed[n - e->from] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->count; i-- > 0;) {
            uint32_t next = g->is_in[i] ? next_of(g, i) : NONE;
            bool is_needed = next != NONE && needed[next];
            for (uint32_t k = g->first[i]; g->is_in[i] && k < g->first[i + 1]; k++)
                is_needed |= needed[g->edges[k].to];
            if (is_needed && !needed[i])
                needed[i] = changed = true;
        }
    }
    return needed;
}

static void put_node(const struct graph *g, uint32_t at, uint32_t *degree, bool *needed,
                     struct sym_witness *out)
{
    uint32_t next = next_of(g, at), op = node_at(g->e, at + g->e->from)->op;
    if (next != NONE)
        degree[next]--;
    for (uint32_t k = g->first[at]; k < g->first[at + 1]; k++)
        degree[g->edges[k].to]--;
    needed[at] = false;
    if (op != NODE_GUARD && op != NODE_CHECK)
        vec_push(&out->order, at + g->e->from);
}

/* The thread that runs goes on as long as it can; then the one that is first in the trace. */
void orders_linearise(struct encoder *e, struct sym_witness *out)
{
    struct graph g;
    graph_build(&g, e);
    bool *needed = nodes_needed(&g);
    uint32_t *degree = mem_zeroed(g.count + 1, sizeof *degree);
    memcpy(degree, g.degree, g.count * sizeof *degree);
    out->from = e->from;
    out->order.len = 0;
    for (uint32_t at = NONE;;) {
        for (uint32_t i = 0; at == NONE && i < g.count; i++)
            if (needed[i] && g.is_in[i] && degree[i] == 0)
                at = i;
        if (at == NONE)
            break;
        put_node(&g, at, degree, needed, out);
        at = next_of(&g, at);
        if (at != NONE && (!needed[at] || degree[at] > 0))
            at = NONE;
    }
    free(needed);
    free(degree);
    graph_done(&g);
}
