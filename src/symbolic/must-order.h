/* SPDX-License-Identifier: Apache-2.0
 *
 * must-order: what comes before what in every order of a problem: a thread's own nodes, what
 * happened before it was created, and all of a thread before its join. Private to this
 * module. */
#ifndef SYMBOLIC_MUST_ORDER_H
#define SYMBOLIC_MUST_ORDER_H

#include "symbolic/problem.h"

/* From this node of its thread on, so many nodes of each other thread are over. */
struct must_since {
    uint32_t idx;
    uint32_t *over; /* owned, by thread */
};
typedef VEC(struct must_since) must_list;

struct must_order {
    must_list *threads; /* owned, by thread; ascending */
    uint32_t count;
};

void musts_init(struct must_order *m, const struct problem *p);
void musts_done(struct must_order *m);

/* If b happens, has a happened before? */
bool must_come_first(const struct must_order *m, const struct problem *p, node_id a, node_id b);

#endif
