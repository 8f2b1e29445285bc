/* SPDX-License-Identifier: Apache-2.0
 *
 * maxsat: clauses that must hold, literals that cost something when they do, and the cheapest
 * way to have it so. Z3's optimiser. */
#ifndef SMT_MAXSAT_H
#define SMT_MAXSAT_H

#include "base/err.h"

#include <stdbool.h>

struct maxsat;

/* NULL: there is no Z3. */
struct maxsat *maxsat_new(struct err *err);
void maxsat_free(struct maxsat *m);

static inline void auto_maxsat(struct maxsat **m)
{
    maxsat_free(*m);
}

lit maxsat_bool(struct maxsat *m);
/* One of these holds; an empty clause never does. */
void maxsat_clause(struct maxsat *m, const lit *l, uint32_t count);
/* It costs so much, once, if the literal holds. */
void maxsat_cost(struct maxsat *m, lit l, uint32_t cost);
/* Are all clauses together possible? Then the values are those of a cheapest way. More may be
 * added after. */
enum verdict_sat maxsat_solve(struct maxsat *m);
bool maxsat_value(const struct maxsat *m, lit l);

#endif
