/* SPDX-License-Identifier: Apache-2.0
 *
 * blast: private. Terms as literals, one for each bit, with the clauses of the gates between
 * them: for solvers that know nothing but clauses. */
#ifndef SMT_BLAST_H
#define SMT_BLAST_H

#include "base/map.h"
#include "base/vec.h"
#include "smt/smt.h"

enum { BLAST_TRUE = 1 }; /* the literal that is true; -1 is false */

struct blaster {
    struct term_pool *pool; /* borrowed */
    void (*clause)(void *arg, const lit *l, uint32_t count);
    void *arg;
    lit last;              /* literals so far */
    VEC(uint32_t) at;      /* by term: index into bits, or NONE */
    VEC(lit) bits;         /* lowest first */
    struct map gates;      /* what two literals make */
    VEC(struct gate) list; /* of them */
    VEC(term) stack;
};

struct gate {
    lit a, b, out;
    uint32_t next; /* with the same hash, or NONE */
};

/* Makes the literal that is true. */
void blast_init(struct blaster *b);
void blast_done(struct blaster *b);
lit blast_fresh(struct blaster *b);
/* The bits of a term: its width of them; until the next call. */
const lit *blast_term(struct blaster *b, term t);
/* Has it been made? NULL: no. */
const lit *blast_find(const struct blaster *b, term t);

#endif
