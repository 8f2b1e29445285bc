/* SPDX-License-Identifier: Apache-2.0
 *
 * symbolic: what other schedules of the recorded paths can do, with values: does a branch still
 * go the same way, can an assertion fail? */
#ifndef SYMBOLIC_SYMBOLIC_H
#define SYMBOLIC_SYMBOLIC_H

#include "finding/finding.h"
#include "ir/ir.h"
#include "model/model.h"
#include "symbolic/problem.h"

/* The problem of a window, from a model that has kept everything and the executed paths.
 * Everything but out is borrowed. -1: the trace is corrupt. */
int problem_build(struct problem *out, struct term_pool *pool, const struct model *m,
                  const struct ir *ir, const struct ir_paths *paths, struct err *err);

/* ---- asking ------------------------------------------------------------------------------ */

struct symbolic_opts {
    const struct engine *engine; /* NULL: the first */
    uint64_t work;               /* that a question may cost, in microseconds; counted */
    uint32_t clauses_max;        /* that it may have, about; 0: no limit */
};

struct symbolic_stat {
    uint64_t asked, solved, rounds;
    uint64_t cost;       /* of all, about in microseconds; counted */
    uint64_t answers[3]; /* by verdict_sat */
    uint64_t refused; /* witnesses that the evaluator did not accept: always a fault of ours */
    uint64_t orders_most; /* open orders of the largest question */
};

/* Can the goal be reached? Yes: out, which has been executed, says how. */
enum verdict_sat symbolic_ask(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, struct sym_witness *out,
                              struct symbolic_stat *stat, struct err *err);

/* As a witness of the window's trace; its query is the caller's business. */
void symbolic_witness(const struct problem *p, const struct goal *g,
                      const struct sym_witness *w, struct witness *out);

/* The pattern of checks of this kind. */
const char *symbolic_pattern(enum ir_why why);
/* What is told of a check that can fail, and the events that it is about, for its witness. */
void symbolic_tell(const struct problem *p, const struct model *m, const struct goal *g,
                   const struct sym_witness *w, struct arena *mem, struct query *query,
                   struct told *out);

#endif
