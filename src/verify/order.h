/* SPDX-License-Identifier: Apache-2.0
 *
 * order: which events of a trace must come before which in every run that does the same: by
 * program order, creation and join (must), and a partial order over a few events that grows
 * from there, closed under mutual exclusion (order). */
#ifndef VERIFY_ORDER_H
#define VERIFY_ORDER_H

#include "model/model.h"

/* ---- must-happen-before ------------------------------------------------------------------ */

struct must;

/* The model is borrowed. */
struct must *must_new(const struct model *m);
void must_free(struct must *m);
/* Does a come before b in every order? An event does not come before itself. */
bool must_before(const struct must *m, ev_id a, ev_id b);

static inline void auto_must(struct must **m)
{
    must_free(*m);
}

/* ---- orders ------------------------------------------------------------------------------ */

struct order;

enum { ORDER_NODES_MAX = 512 };

struct order *order_new(const struct must *must);
void order_free(struct order *o);

static inline void auto_order(struct order **o)
{
    order_free(*o);
}

/* These pairs are to stand in this order too. False: they cannot, together with what was added
 * before (or there is no room): nothing has changed. */
bool order_add(struct order *o, const ev_id (*pairs)[2], uint32_t count);
/* After a false: the lock whose sections leave no room for it; NONE: no lock is needed for
 * that, the threads' own order does it. */
sync_id order_blame(const struct order *o);
bool order_is_full(const struct order *o); /* the last false was for want of room */
/* All events added, and the ends of their sections, in an order that fits; among those that may
 * come next the one with the smallest rank (by event) comes first. False: sections that were
 * left open could not be put in any order. */
bool order_line(struct order *o, const uint32_t *rank, ev_id *out, uint32_t *count);

/* All events of the trace, out of their recorded order if they have to: those of the line as
 * they stand there, locks, creation and joins obeyed, and the rest by rank. False: none is
 * found like this. */
bool order_whole(const struct model *m, const uint32_t *rank, const ev_id *line,
                 uint32_t line_count, ev_id *out);

/* Does the event stand in a section of the lock? The acquire, or NONE. */
ev_id section_of(const struct model *m, ev_id e, sync_id lock);

#endif
