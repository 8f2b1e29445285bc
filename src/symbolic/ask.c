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
    COST_OF_ASKING = 500,
    GIVEN_PER_US =
        2, /* clauses that are made in a microsecond, those of sums and the like too */
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

static void end_question(struct question *q, enum verdict_sat answer, enum undecided why,
                         struct symbolic_stat *stat)
{
    q->is_over = true;
    q->answer = answer;
    q->why = why;
    stat->answers[answer]++;
    if (answer == SAT_UNKNOWN)
        stat->undecided[why]++;
}

/* A no over everything. */
static void end_no(const struct problem *p, struct question *q, struct symbolic_stat *stat)
{
    end_question(q, p->is_partial ? SAT_UNKNOWN : SAT_NO, UNDECIDED_ORDER, stat);
}

static enum verdict_sat solve(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, node_id from, node_id end,
                              struct sym_witness *out, struct symbolic_stat *stat,
                              enum undecided *why)
{
    struct encode_opts o = {.engine = opts->engine,
                            .work = opts->work,
                            .clauses_max = opts->clauses_max,
                            .given_max = opts->given_max,
                            .from = from,
                            .end = end};
    struct encode_stat s = {0};
    enum verdict_sat answer = encode_solve(p, g, &o, out, &s);
    stat->solved++;
    stat->rounds += s.rounds;
    stat->cost += COST_OF_ASKING + 2 * (uint64_t)s.clauses * s.rounds + s.given / GIVEN_PER_US;
    stat->orders_most = s.orders > stat->orders_most ? s.orders : stat->orders_most;
    *why = s.is_too_much             ? UNDECIDED_SIZE
           : s.rounds >= ROUNDS_MOST ? UNDECIDED_ROUNDS
                                     : UNDECIDED_WORK;
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
    stat->cost += COST_OF_ASKING / 2 + given / GIVEN_PER_US;
    return !can_fail;
}

/* What is cheap, without other threads. */
static void begin_question(const struct problem *p, struct question *q,
                           const struct symbolic_opts *opts, struct symbolic_stat *stat)
{
    stat->asked++;
    q->width = WIDTH_FIRST;
    if (!is_settled(p, &q->goal, opts, stat))
        return;
    stat->settled++;
    end_question(q, SAT_NO, 0, stat);
}

void symbolic_step(const struct problem *p, struct question *q,
                   const struct symbolic_opts *opts, struct sym_witness *out,
                   struct symbolic_stat *stat, struct err *err)
{
    const struct goal *g = &q->goal;
    node_id first = g->node[0], last = g->node[0];
    enum undecided why;
    if (q->width == 0) {
        begin_question(p, q, opts, stat);
        return;
    }
    for (uint32_t i = 1; i < g->count; i++) {
        first = g->node[i] < first ? g->node[i] : first;
        last = g->node[i] > last ? g->node[i] : last;
    }
    /* Most answers are no. Where everything is little, it is asked about at once; a yes is
     * looked for once more, nearer to what is recorded. */
    if (q->width == WIDTH_FIRST && p->nodes.len > WIDTH_FIRST &&
        p->nodes.len <= WIDTH_AT_ONCE &&
        solve(p, g, opts, 0, p->nodes.len, out, stat, &why) == SAT_NO) {
        end_no(p, q, stat);
        return;
    }
    node_id from = stretch_from(p, first, q->width), end = last + q->width;
    enum verdict_sat answer = solve(p, g, opts, from, end, out, stat, &why);
    if (answer == SAT_YES && !problem_evaluate(p, g, out, NULL, err)) {
        stat->refused++;
        answer = SAT_UNKNOWN;
        why = UNDECIDED_REFUSED;
    }
    if (answer == SAT_NO && from == 0 && end >= p->nodes.len)
        end_no(p, q, stat);
    else if (answer == SAT_NO)
        q->width *= WIDTH_FACTOR;
    else
        end_question(q, answer, why, stat);
}

enum verdict_sat symbolic_ask(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, struct sym_witness *out,
                              struct symbolic_stat *stat, struct err *err)
{
    struct question q = {.goal = *g};
    while (!q.is_over)
        symbolic_step(p, &q, opts, out, stat, err);
    return q.answer;
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
