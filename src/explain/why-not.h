/* SPDX-License-Identifier: Apache-2.0
 *
 * why-not: what finding the reason and telling it share. */
#ifndef EXPLAIN_WHY_NOT_H
#define EXPLAIN_WHY_NOT_H

#include "explain/chain.h"
#include "explain/explain.h"

/* Both threads hold it where they do a and b, in ways that exclude each other. */
struct common_lock {
    ev_id acquire[2];
};

typedef VEC(struct common_lock) common_locks;

/* ---- why-tell.c ------------------------------------------------------------------------ */

/* Adds what each of the two does, and holds. */
void tell_pair(struct why_not *out, struct why_answer *answer, const struct model *m, ev_id a,
               ev_id b);
void tell_locks(struct why_not *out, struct why_answer *answer, const struct model *m,
                const common_locks *locks);
/* a, the links, b. */
void tell_chain(struct why_not *out, struct why_answer *answer, const struct model *m, ev_id a,
                ev_id b, const chain *links);
/* "forks and joins", "what is read": the kinds of links. */
void add_chain_kinds(struct str *out, const struct model *m, const chain *links);

#endif
