/* SPDX-License-Identifier: Apache-2.0
 *
 * problem: see problem.h. */
#include "symbolic/problem.h"

#include "base/err.h"
#include "base/search.h"
#include "heddle/format.h"
#include "symbolic/bounds.h"
#include "symbolic/forward.h"

void problem_done(struct problem *p)
{
    for (uint32_t t = 0; t < p->paths.len; t++)
        vec_done(&p->paths.at[t].nodes);
    vec_done(&p->paths);
    vec_done(&p->nodes);
    vec_done(&p->parts);
    vec_done(&p->readings);
    vec_done(&p->needs);
    vec_done(&p->places);
    ranges_free(p->ranges);
    lean_free(p->lean);
}

node_id problem_add(struct problem *p, struct node n)
{
    CHECK(n.thr < p->paths.len);
    struct path *path = &p->paths.at[n.thr];
    node_id id = p->nodes.len;
    n.idx = path->nodes.len;
    vec_push(&path->nodes, id);
    vec_push(&p->nodes, n);
    if (n.op == NODE_CREATE)
        p->paths.at[n.obj].create = id;
    return id;
}

static int compare_needs(const void *a, const void *b)
{
    const struct node_need *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

void problem_finish(struct problem *p)
{
    for (uint32_t i = 0; i < p->places.len; i++)
        p->places.at[i].is_odd |= !p->places.at[i].is_known;
    for (uint32_t i = 0; i < p->parts.len; i++)
        if (p->parts.at[i].writes && p->parts.at[i].write == NONE)
            p->places.at[p->parts.at[i].place].is_odd = true;
    if (p->needs.len)
        qsort(p->needs.at, p->needs.len, sizeof *p->needs.at, compare_needs);
    forward_reads(p);
    p->ranges = ranges_new(p);
    for (node_id n = 0; n < p->nodes.len; n++) {
        struct node *node = &p->nodes.at[n];
        term lean = problem_lean(p, node->cond);
        if (node->op == NODE_GUARD)
            node->is_idle = ranges_hold(p->ranges, p, lean);
        else if (node->op == NODE_CHECK)
            node->is_idle = ranges_exclude(p->ranges, p, lean);
    }
}

uint32_t problem_needs(const struct problem *p, node_id to)
{
    return SEARCH(i, 0, p->needs.len, p->needs.at[i].to < to);
}

node_id problem_find(const struct problem *p, uint64_t event)
{
    uint32_t low = 0, high = p->nodes.len; /* events ascend, but for guards before the first */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, at = middle;
        while (at + 1 < high && p->nodes.at[at].event == NO_EVENT)
            at++;
        if (p->nodes.at[at].event < event)
            low = at + 1;
        else
            high = middle;
    }
    for (; low < p->nodes.len && p->nodes.at[low].event <= event; low++)
        if (p->nodes.at[low].cond == NONE)
            return p->nodes.at[low].event == event ? low : NONE;
    return NONE;
}
