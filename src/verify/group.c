/* SPDX-License-Identifier: Apache-2.0
 *
 * group: which suspicious violations to try in one schedule. Greedy insertion into one order,
 * the most urgent first; the paper's power set (algorithm 2, line 3) is never made. */
#include "verify/suspect.h"

#include <stdlib.h>

/* Shi et al. 2016, section 4.1. */
enum { SCORE_LIKELY = 10, SCORE_OTHER = 7 };

/* Rules 1, 3 and 4. */
static int64_t score(const struct violation *v)
{
    return (v->is_likely ? SCORE_LIKELY : SCORE_OTHER) - (int64_t)v->tries - v->tested_alike;
}

static bool is_same_or_before(const struct must *must, ev_id a, ev_id b)
{
    return a == b || must_before(must, a, b);
}

/* a0 before a1 means that b0 is before b1. */
static bool pair_implies(const struct must *must, const ev_id a[2], const ev_id b[2])
{
    return is_same_or_before(must, b[0], a[0]) && is_same_or_before(must, a[1], b[1]);
}

/* Does an order with a have b too? */
static bool violation_implies(const struct must *must, const struct violation *a,
                              const struct violation *b)
{
    ev_id x[2][2], y[2][2];
    violation_pairs(a, x);
    violation_pairs(b, y);
    return (pair_implies(must, x[0], y[0]) && pair_implies(must, x[1], y[1])) ||
           (pair_implies(must, x[0], y[1]) && pair_implies(must, x[1], y[0]));
}

/* Rule 1 to 4 of the paper: the sum over what it implies. */
static int64_t violation_priority(const violations *all, uint32_t i, const struct must *must)
{
    CHECK(i < all->len);
    int64_t sum = 0;
    for (uint32_t k = 0; k < all->len; k++)
        if (all->at[k].state == VIOLATION_OPEN &&
            (k == i || violation_implies(must, &all->at[i], &all->at[k])))
            sum += score(&all->at[k]);
    return sum;
}

struct candidate {
    int64_t priority;
    uint32_t late, index;
};

static int by_priority(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->late != b->late)
        return a->late > b->late ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void suspect_group(violation_group *out, const violations *all, const struct must *must,
                   struct order *order)
{
    VEC(struct candidate) open = {0};
    out->len = 0;
    for (uint32_t i = 0; i < all->len; i++)
        if (all->at[i].state == VIOLATION_OPEN)
            vec_push(&open,
                     (struct candidate){violation_priority(all, i, must), all->at[i].late, i});
    if (open.len > 1)
        qsort(open.at, open.len, sizeof *open.at, by_priority);
    uint32_t full = 0; /* a few more may still fit where their events are known */
    for (uint32_t i = 0; i < open.len && full < 16; i++) {
        ev_id pairs[2][2];
        violation_pairs(&all->at[open.at[i].index], pairs);
        if (order_add(order, pairs, 2))
            vec_push(out, open.at[i].index);
        else
            full += order_is_full(order);
    }
    vec_done(&open);
}
