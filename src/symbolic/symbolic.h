/* SPDX-License-Identifier: Apache-2.0
 *
 * symbolic: what other schedules of the recorded paths can do, with values: does a branch still
 * go the same way, can an assertion fail? */
#ifndef SYMBOLIC_SYMBOLIC_H
#define SYMBOLIC_SYMBOLIC_H

#include "finding/finding.h"
#include "witness/witness.h"
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
    uint64_t given_max;          /* with those of its terms; 0: no limit */
};

/* Why a question has no answer. */
enum undecided {
    UNDECIDED_SIZE,    /* it would take too many clauses */
    UNDECIDED_WORK,    /* the solver came to its limit */
    UNDECIDED_ROUNDS,  /* solutions went in circles again and again */
    UNDECIDED_ORDER,   /* no, but some orders are kept as recorded */
    UNDECIDED_REFUSED, /* yes, but the evaluator did not accept it */
    UNDECIDED_TOTAL,   /* what all questions may cost was spent */
    UNDECIDED_COUNT
};

struct symbolic_stat {
    uint32_t nodes; /* of the problem */
    uint64_t asked, solved, rounds;
    uint64_t settled;    /* by what places can hold and its thread has passed, without others */
    uint64_t cost;       /* of all, about in microseconds; counted */
    uint64_t answers[3]; /* by verdict_sat */
    uint64_t undecided[UNDECIDED_COUNT];
    uint64_t refused; /* witnesses that the evaluator did not accept: always a fault of ours */
    uint64_t orders_most; /* open orders of the largest question */
};

/* Can the goal be reached? Yes: out, which has been executed, says how. */
enum verdict_sat symbolic_ask(const struct problem *p, const struct goal *g,
                              const struct symbolic_opts *opts, struct sym_witness *out,
                              struct symbolic_stat *stat, struct err *err);

/* A question that is asked step by step, each about more around it than the last one. */
struct question {
    struct goal goal;
    uint32_t width; /* that the next step looks at; 0: only what is cheap */
    bool is_over;
    enum verdict_sat answer; /* if it is over */
    enum undecided why;      /* if that is unknown */
};

/* One step of symbolic_ask; not after it is over. */
void symbolic_step(const struct problem *p, struct question *q,
                   const struct symbolic_opts *opts, struct sym_witness *out,
                   struct symbolic_stat *stat, struct err *err);

/* What a step may cost if so much is left for so many. */
struct symbolic_opts symbolic_share(const struct symbolic_opts *opts, uint64_t left,
                                    uint32_t among);

struct symbolic_checks {
    const struct symbolic_opts *opts;
    uint64_t cost_max; /* of everything that stat counts */
    int (*stop)(void); /* asked between steps; may be NULL */
    void (*found)(void *arg, const struct goal *g, const struct sym_witness *w);
    void (*answered)(void *arg, enum ir_why why,
                     enum verdict_sat answer); /* once for each check
                                                                            * in the source */
    void *arg;
};

/* Which checks can fail? Those of one place in the source are one. */
void symbolic_checks(const struct problem *p, const struct symbolic_checks *o,
                     struct symbolic_stat *stat);

/* The same as symbolic_ask; a no is explained: out gets a sentence without a full stop. */
enum verdict_sat symbolic_why(const struct problem *p, const struct model *m,
                              const struct goal *g, const struct symbolic_opts *opts,
                              struct str *out);

/* ---- what a violation does --------------------------------------------------------------- */

/* Of whether there is an order of this kind in which the accesses see, or leave in memory,
 * something else than with one of the two threads after the other. */
const char *effect_sentence(enum effect effect);

/* That the accesses of an order do: of width 1, for goal.also. NONE: it cannot be said. */
term symbolic_visible(const struct problem *p, const struct goal *g);

/* Asks that of the goal, an order of accesses, and of all others of the same places in the
 * source. Visible: g is the one, out shows it. Beyond so much cost it is unknown. */
enum effect symbolic_effect(const struct problem *p, struct goal *g,
                            const struct symbolic_opts *opts, uint64_t cost_max,
                            struct sym_witness *out, struct symbolic_stat *stat);

/* ---- telling ----------------------------------------------------------------------------- */

/* As a witness of the window's trace; its query is the caller's business. */
void symbolic_witness(const struct problem *p, const struct goal *g,
                      const struct sym_witness *w, struct witness *out);

/* The pattern of checks of this kind. */
enum pattern_id symbolic_pattern(enum ir_why why);
/* What is told of a check that can fail, and the events that it is about, for its witness. */
void symbolic_tell(const struct problem *p, const struct model *m, const struct goal *g,
                   const struct sym_witness *w, struct arena *mem, struct query *query,
                   struct finding *out);

#endif
