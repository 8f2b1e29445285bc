/* SPDX-License-Identifier: Apache-2.0
 *
 * bounds: what a place can hold in any order at all, from what is ever written there. Private
 * to this module. */
#ifndef SYMBOLIC_BOUNDS_H
#define SYMBOLIC_BOUNDS_H

#include "symbolic/problem.h"

/* For all places of a problem that is complete but for this. NULL: there is too much of it. */
struct ranges *ranges_new(const struct problem *p);
void ranges_free(struct ranges *r);
/* Is the term, of width 1, false or true whatever is read? r may be NULL: nobody knows. */
bool ranges_exclude(const struct ranges *r, const struct problem *p, term cond);
bool ranges_hold(const struct ranges *r, const struct problem *p, term cond);
/* What is always so of a variable, as a term of width 1; NONE: nothing is known. */
term ranges_fact(const struct ranges *r, const struct problem *p, term var);

#endif
