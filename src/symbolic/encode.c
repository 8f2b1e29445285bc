/* SPDX-License-Identifier: Apache-2.0
 *
 * encode: the question as a whole. See encode.h for what the clauses say. Wang, Limaye, Ganai
 * and Gupta (TACAS 2010) have the idea; here only what is executed
 * constrains, and a thread that leaves its path stops. */
#include "symbolic/encode.h"

#include "base/err.h"
#include "base/search.h"

#include <string.h>

/* ---- which nodes ------------------------------------------------------------------------- */

/* So many nodes of a thread lie before this one in the trace. */
static uint32_t count_before(const struct path *path, node_id n)
{
    return SEARCH(i, 0, path->nodes.len, path->nodes.at[i] < n);
}

static bool is_condition(const struct node *n)
{
    return n->op == NODE_GUARD || n->op == NODE_CHECK;
}

/* A guard that cannot hold is the end of its thread. */
static bool never_passes(const struct encoder *e, const struct node *n)
{
    return is_condition(n) &&
           term_is(e->p->pool, lean(e, n->cond), n->op == NODE_GUARD ? 0 : 1);
}

static void cut_thread(struct encoder *e, uint32_t thr, uint32_t stop)
{
    if (stop < e->stop[thr])
        e->stop[thr] = stop;
}

/* Where the thread needs the value that this node reads; behind it, if that is no variable. */
static uint32_t blind_until(const struct encoder *e, const struct node *read)
{
    const struct path *path = &e->p->paths.at[read->thr];
    uint32_t at = read->idx + 1;
    if (read->read_count != 1)
        return at;
    bool *depends = term_dependents(e->p->pool, e->p->readings.at[read->read_first].var);
    for (bool needed = false; at < path->nodes.len; at++) {
        const struct node *n = node_at(e, path->nodes.at[at]);
        needed = n->cond != NONE && depends[lean(e, n->cond)];
        for (uint32_t i = n->first; i < n->first + n->count; i++) {
            term write = lean(e, e->p->parts.at[i].write);
            needed |= write != NONE && depends[write];
        }
        if (needed)
            break;
    }
    free(depends);
    return at;
}

/* Where each thread stands, and how far it may go. */
static void cut_threads(struct encoder *e)
{
    for (uint32_t t = 0; t < e->p->paths.len; t++) {
        const struct path *path = &e->p->paths.at[t];
        e->start[t] = count_before(path, e->from);
        e->stop[t] = count_before(path, e->end);
        for (uint32_t i = e->start[t]; i < e->stop[t]; i++)
            if (never_passes(e, node_at(e, path->nodes.at[i])))
                cut_thread(e, t, i);
    }
    for (uint32_t i = 0; i < e->g->count; i++) {
        const struct node *n = node_at(e, e->g->node[i]);
        if (!goal_happens(e->g))
            cut_thread(e, n->thr, n->idx);
        else if (goal_is_blind(e->g, e->g->node[i]))
            cut_thread(e, n->thr, blind_until(e, n));
        else if (i + 1 == e->g->count)
            cut_thread(e, n->thr, n->idx + 1);
    }
}

/* Is the goal where it can be reached? */
static bool goal_is_open(const struct encoder *e)
{
    for (uint32_t i = 0; i < e->g->count; i++) {
        const struct node *n = node_at(e, e->g->node[i]);
        if (e->g->node[i] < e->from || e->g->node[i] >= e->end)
            return false;
        if (goal_happens(e->g) ? n->idx >= e->stop[n->thr] : n->idx != e->stop[n->thr])
            return false;
    }
    return true;
}

/* ---- stretches --------------------------------------------------------------------------- */

static bool may_stop(const struct encoder *e, node_id n)
{
    const struct node *node = node_at(e, n);
    if (is_condition(node))
        return !node->is_idle && !term_is_const(e->p->pool, lean(e, node->cond));
    uint32_t i = problem_needs(e->p, n);
    if (i < e->p->needs.len && e->p->needs.at[i].to == n)
        return true;
    for (i = 0; i < node->count; i++)
        if (is_bound(e, &e->p->parts.at[node->first + i]))
            return true; /* not everything that it could see will do */
    return node->op == NODE_ACQUIRE || node->op == NODE_JOIN;
}

/* Whether the stretch that begins here is executed, and when it may be. */
static lit begin_stretch(struct encoder *e, node_id n, lit previous)
{
    const struct node *node = node_at(e, n);
    lit l = solver_bool(e->s);
    vec_push(&e->stretches, (struct stretch){.executed = l, .thr = node->thr, .first = n});
    clause_begin(e);
    clause_add(e, -l);
    clause_add(e, previous);
    clause_end(e);
    if (is_condition(node) && !node->is_idle) {
        lit holds = solver_lit(e->s, lean(e, node->cond));
        group_begin(e, HINDER_GUARD, n);
        if (node->op == NODE_CHECK) { /* who comes to it and fails ends the program */
            clause_begin(e);
            clause_add(e, -previous);
            clause_add(e, -holds);
            clause_end(e);
        }
        clause_begin(e);
        clause_add(e, -l);
        clause_add(e, node->op == NODE_GUARD ? holds : -holds);
        clause_end(e);
        group_end(e);
    }
    return l;
}

/* Comes a check right behind this event? A thread may stop before it rather than fail. */
static bool is_checked(const struct encoder *e, uint32_t t, uint32_t i)
{
    if (is_condition(node_at(e, thread_node(e, t, i))))
        return false;
    for (i++; i < e->stop[t]; i++) {
        const struct node *n = node_at(e, thread_node(e, t, i));
        if (!is_condition(n) || (n->op == NODE_CHECK && !n->is_idle))
            return n->op == NODE_CHECK;
    }
    return false;
}

static void make_stretches(struct encoder *e)
{
    for (uint32_t t = 0; t < e->p->paths.len; t++) {
        lit last = e->yes;
        for (uint32_t i = e->start[t]; i < e->stop[t] && !is_too_much(e); i++) {
            node_id n = thread_node(e, t, i);
            if (i == e->start[t] || may_stop(e, n) || is_checked(e, t, i))
                last = begin_stretch(e, n, last);
            e->stretch_of[n - e->from] = e->stretches.len - 1;
        }
    }
}

/* ---- writes by place --------------------------------------------------------------------- */

static void index_writes(struct encoder *e)
{
    uint32_t places = e->p->places.len, *first = mem_zeroed(places + 2, sizeof *first);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (node_id n = pass ? e->from : 0; n < e->end; n++) {
            const struct node *node = node_at(e, n);
            for (uint32_t i = node->first; i < node->first + node->count; i++) {
                const struct part *part = &e->p->parts.at[i];
                if (!part->writes)
                    continue;
                if (n < e->from) {
                    e->writer[part->place] = n;
                } else if (is_open(e, n) && pass == 0) {
                    first[part->place + 2]++;
                } else if (is_open(e, n)) {
                    e->writes[first[part->place + 1]] = n;
                    e->write_parts[first[part->place + 1]++] = i;
                }
            }
        }
        if (pass == 1)
            break;
        for (uint32_t i = 2; i < places + 2; i++)
            first[i] += first[i - 1];
        e->writes = mem_zeroed(first[places + 1] + 1, sizeof *e->writes);
        e->write_parts = mem_zeroed(first[places + 1] + 1, sizeof *e->write_parts);
    }
    e->writes_first = first;
}

/* ---- the goal ---------------------------------------------------------------------------- */

static void must(struct encoder *e, lit l)
{
    clause_begin(e);
    clause_add(e, l);
    clause_end(e);
}

/* The thread stands before this node. */
static void must_reach(struct encoder *e, const struct node *n)
{
    const struct path *path = &e->p->paths.at[n->thr];
    if (n->idx > 0)
        must(e, executed(e, path->nodes.at[n->idx - 1]));
    else if (path->create != NONE)
        must(e, executed(e, path->create));
}

/* Nothing is written where the node reads before it does. */
static void must_be_early(struct encoder *e, node_id read)
{
    const struct node *n = node_at(e, read);
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        place_id x = e->p->parts.at[i].place;
        if (e->writer[x] != NONE)
            must(e, -e->yes);
        for (uint32_t k = e->writes_first[x]; k < e->writes_first[x + 1]; k++) {
            clause_begin(e);
            clause_add(e, -executed(e, e->writes[k]));
            clause_add(e, node_is_before(e, read, e->writes[k]));
            clause_end(e);
        }
    }
}

static void encode_goal(struct encoder *e)
{
    const struct goal *g = e->g;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *n = node_at(e, g->node[i]);
        if (goal_happens(g))
            must(e, executed(e, g->node[i]));
        else
            must_reach(e, n);
        if (g->kind == GOAL_CHECK)
            must(e, solver_lit(e->s, lean(e, n->cond)));
        if (goal_happens(g) && i > 0)
            must(e, node_is_before(e, g->node[i - 1], g->node[i]));
        if (goal_is_blind(g, g->node[i]))
            must_be_early(e, g->node[i]);
    }
    if (g->also != NONE)
        must(e, solver_lit(e->s, lean(e, g->also)));
}

/* ---- all of it --------------------------------------------------------------------------- */

void encoder_init(struct encoder *e, const struct encode_opts *opts)
{
    const struct problem *p = e->p;
    e->from = opts->from;
    e->end = opts->end < p->nodes.len ? opts->end : p->nodes.len;
    e->given_max = opts->given_max;
    e->start = mem_zeroed(p->paths.len + 1, sizeof *e->start);
    e->stop = mem_zeroed(p->paths.len + 1, sizeof *e->stop);
    e->stretch_of = mem_zeroed(e->end - e->from + 1, sizeof *e->stretch_of);
    e->writer = mem_get((p->places.len + 1) * sizeof *e->writer);
    memset(e->writer, 0xff, (p->places.len + 1) * sizeof *e->writer);
    lean(e, e->g->also); /* it may be new */
    e->cone_size = term_count(p->pool);
    e->term_seen = mem_zeroed(e->cone_size + 1, 1);
    e->place_matters = mem_zeroed(p->places.len + 1, sizeof *e->place_matters);
    e->yes = solver_lit(e->s, term_bool(p->pool, true));
}

void encoder_done(struct encoder *e)
{
    free(e->start);
    free(e->stop);
    free(e->stretch_of);
    free(e->writer);
    free(e->term_seen);
    free(e->place_matters);
    free(e->writes_first);
    free(e->writes);
    free(e->write_parts);
    vec_done(&e->stretches);
    vec_done(&e->atoms);
    vec_done(&e->given);
    vec_done(&e->cone);
    vec_done(&e->clause);
    vec_done(&e->reasons);
    vec_done(&e->reason_lits);
    map_done(&e->atom_of);
}

bool encode_all(struct encoder *e, uint32_t clauses_max, enum verdict_sat *answer)
{
    cut_threads(e);
    *answer = SAT_NO;
    if (!goal_is_open(e))
        return false;
    make_stretches(e);
    *answer = SAT_UNKNOWN;
    e->stat.is_too_much = is_too_much(e);
    if (e->stat.is_too_much)
        return false;
    index_writes(e);
    cone_mark(e);
    e->stat.is_too_much = clauses_max > 0 && memory_size(e) > clauses_max;
    if (e->stat.is_too_much)
        return false;
    encode_memory(e);
    encode_sync(e);
    encode_goal(e);
    e->stat.is_too_much = is_too_much(e);
    return !e->stat.is_too_much;
}

enum verdict_sat encode_search(struct encoder *e, const lit *assumed, uint32_t count,
                               bool is_limited)
{
    for (uint32_t rounds = 1;; rounds++) {
        e->stat.rounds++;
        enum verdict_sat answer = solver_check(e->s, assumed, count);
        if (answer != SAT_YES || !orders_refine(e))
            return answer;
        if (is_limited && rounds >= ROUNDS_MOST)
            return SAT_UNKNOWN;
    }
}

enum verdict_sat encode_solve(const struct problem *p, const struct goal *g,
                              const struct encode_opts *opts, struct sym_witness *out,
                              struct encode_stat *stat)
{
    AUTO(solver) struct solver *s =
        solver_new(opts->engine, p->pool, &(struct solver_opts){opts->work / ROUNDS_USUAL});
    struct encoder e = {.p = p, .g = g, .s = s};
    enum verdict_sat answer;
    encoder_init(&e, opts);
    if (encode_all(&e, opts->clauses_max, &answer))
        answer = encode_search(&e, NULL, 0, opts->clauses_max > 0);
    if (answer == SAT_YES)
        orders_linearise(&e, out);
    e.stat.given = s->clauses;
    if (stat)
        *stat = e.stat;
    encoder_done(&e);
    return answer;
}
