/* SPDX-License-Identifier: Apache-2.0
 *
 * ask: a question is asked about a small stretch around its nodes first: what lies before it
 * happens as recorded, what lies behind does not happen. A yes holds for the whole; after a no
 * the stretch grows. Every yes is executed before it is believed. */
#include "symbolic/symbolic.h"

#include "symbolic/alone.h"

enum {
    WIDTH_FIRST = 60,
    WIDTH_FACTOR = 3,
    WIDTH_AT_ONCE = 400,
    COST_OF_ASKING = 1000,
    GIVEN_PER_US =
        3, /* clauses that are made in a microsecond, those of sums and the like too */
};

static bool is_condition(const struct problem *p, node_id n)
{
    return p->nodes.at[n].op == NODE_GUARD || p->nodes.at[n].op == NODE_CHECK;
}

/* A stretch begins with an event, so that what lies before it is a part of the trace. */
static node_id stretch_from(const struct problem *p, node_id n, uint32_t width)
{
    n = n > width ? n - width : 0;
    while (n > 0 && is_condition(p, n))
        n--;
    return n;
}

static enum verdict_sat believe(const struct problem *p, const struct goal *g,
                                const struct sym_witness *w, struct symbolic_stat *stat,
                                struct err *err)
{
    if (evaluate(p, g, w, NULL, err))
        return SAT_YES;
    stat->refused++;
    return SAT_UNKNOWN;
}

static enum verdict_sat solve(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, node_id from, node_id end,
                              struct sym_witness *out, struct symbolic_stat *stat)
{
    struct encode_opts o = {.engine = opts->engine,
                            .work = opts->work,
                            .clauses_max = opts->clauses_max,
                            .from = from,
                            .end = end};
    struct encode_stat s = {0};
    enum verdict_sat answer = encode_solve(p, g, &o, out, &s);
    stat->solved++;
    stat->rounds += s.rounds;
    stat->cost += COST_OF_ASKING + 2 * (uint64_t)s.clauses * s.rounds + s.given / GIVEN_PER_US;
    stat->orders_most = s.orders > stat->orders_most ? s.orders : stat->orders_most;
    return answer;
}

/* A no over everything. */
static enum verdict_sat final_no(const struct problem *p, struct symbolic_stat *stat)
{
    enum verdict_sat answer = p->is_partial ? SAT_UNKNOWN : SAT_NO;
    stat->answers[answer]++;
    return answer;
}

/* Can a check not fail, wherever its thread's reads come from? */
static bool is_settled(const struct problem *p, const struct goal *g,
                       const struct symbolic_opts *opts, struct symbolic_stat *stat)
{
    uint64_t given = 0;
    if (g->kind != GOAL_CHECK)
        return false;
    if (p->nodes.at[g->node[0]].is_idle)
        return true;
    bool can_fail = alone_can_fail(p, g->node[0], opts->engine, opts->work, &given);
    stat->cost += COST_OF_ASKING / 4 + given / GIVEN_PER_US;
    return !can_fail;
}

enum verdict_sat symbolic_ask(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, struct sym_witness *out,
                              struct symbolic_stat *stat, struct err *err)
{
    node_id first = g->node[0], last = g->node[0];
    stat->asked++;
    if (is_settled(p, g, opts, stat)) {
        stat->settled++;
        stat->answers[SAT_NO]++;
        return SAT_NO;
    }
    for (uint32_t i = 1; i < g->count; i++) {
        first = g->node[i] < first ? g->node[i] : first;
        last = g->node[i] > last ? g->node[i] : last;
    }
    /* Most answers are no. Where everything is little, it is asked about at once; a yes is
     * looked for once more, nearer to what is recorded. */
    if (p->nodes.len > WIDTH_FIRST && p->nodes.len <= WIDTH_AT_ONCE &&
        solve(p, g, opts, 0, p->nodes.len, out, stat) == SAT_NO)
        return final_no(p, stat);
    for (uint32_t width = WIDTH_FIRST;; width *= WIDTH_FACTOR) {
        node_id from = stretch_from(p, first, width), end = last + width;
        enum verdict_sat answer = solve(p, g, opts, from, end, out, stat);
        if (answer == SAT_YES)
            answer = believe(p, g, out, stat, err);
        bool is_all = from == 0 && end >= p->nodes.len;
        if (answer == SAT_NO && !is_all)
            continue;
        if (answer == SAT_NO)
            return final_no(p, stat);
        stat->answers[answer]++;
        return answer;
    }
}

void symbolic_witness(const struct problem *p, const struct goal *g,
                      const struct sym_witness *w, struct witness *out)
{
    *out = (struct witness){.mode = MODE_SYNC};
    out->prefix = w->from < p->nodes.len ? p->nodes.at[w->from].event : 0;
    for (uint32_t i = 0; i < w->order.len; i++)
        vec_push(&out->order, p->nodes.at[w->order.at[i]].event);
    if (g->kind != GOAL_CHECK)
        return;
    /* what the thread does on its way to the check, and has no node */
    uint64_t event = p->nodes.at[g->node[0]].event;
    if (event != NO_EVENT && event >= out->prefix &&
        (out->order.len == 0 || out->order.at[out->order.len - 1] != event))
        vec_push(&out->order, event);
}
