/* SPDX-License-Identifier: Apache-2.0
 *
 * smt: questions about values, and who answers them. A solver takes clauses over literals; a
 * literal is a free boolean or a term of width 1. Clauses are only added. */
#ifndef SMT_SMT_H
#define SMT_SMT_H

#include "smt/term.h"

#include <stddef.h>

typedef int32_t lit; /* -x is not x; 0 is none */

enum verdict_sat { SAT_NO, SAT_YES, SAT_UNKNOWN };

struct solver_opts {
    /* What a check may cost, about in microseconds; counted, not measured: the same question
     * has the same answer. 0: no limit. */
    uint64_t work;
};

struct solver;

/* One way to answer. */
struct engine {
    const char *name, *help;
    struct solver *(*start)(struct term_pool *p, const struct solver_opts *opts);
    void (*end)(struct solver *s);
    lit (*boolean)(struct solver *s);
    lit (*of_term)(struct solver *s, term t);
    void (*clause)(struct solver *s, const lit *l, uint32_t count);
    enum verdict_sat (*check)(struct solver *s, const lit *assumed, uint32_t count);
    bool (*value)(struct solver *s, lit l);
    term_bits (*term_value)(struct solver *s, term t);
    bool (*in_core)(struct solver *s, lit assumed);
};

extern const struct engine engine_cadical, engine_z3;
extern const struct engine *const engines[]; /* the first is the one to take; NULL ends */

/* The head of every engine's solver. */
struct solver {
    const struct engine *engine;
    uint64_t clauses; /* that it was given, those of the terms too; 0: it does not count */
};

/* engine NULL: the first of the list. The pool is borrowed, and grows. */
struct solver *solver_new(const struct engine *engine, struct term_pool *p,
                          const struct solver_opts *opts);
void solver_free(struct solver *s);

static inline void auto_solver(struct solver **s)
{
    solver_free(*s);
}

static inline lit solver_bool(struct solver *s)
{
    return s->engine->boolean(s);
}

/* The literal that is true when the term, of width 1, is. */
static inline lit solver_lit(struct solver *s, term t)
{
    return s->engine->of_term(s, t);
}

static inline void solver_clause(struct solver *s, const lit *l, uint32_t count)
{
    s->engine->clause(s, l, count);
}

/* Can all clauses hold, and what is assumed? More clauses may be added after. */
static inline enum verdict_sat solver_check(struct solver *s, const lit *assumed,
                                            uint32_t count)
{
    return s->engine->check(s, assumed, count);
}

/* After a yes, until something is added: what holds. */
static inline bool solver_value(struct solver *s, lit l)
{
    return s->engine->value(s, l);
}

static inline term_bits solver_term_value(struct solver *s, term t)
{
    return s->engine->term_value(s, t);
}

/* After a no: was this assumption needed for it? */
static inline bool solver_in_core(struct solver *s, lit assumed)
{
    return s->engine->in_core(s, assumed);
}

#include "smt/maxsat.h"

#endif
