/* SPDX-License-Identifier: Apache-2.0
 *
 * encode: private to the encoder. Which orders of a stretch of the nodes are executions, as
 * clauses:
 *
 *   executed   one literal for each stretch of a thread that cannot stop inside: a new one
 *              begins where the thread may have to stop (guard, acquire, join, a need)
 *   before     one literal for each pair of nodes whose order matters, used positively only.
 *              That they do not go in circles is added where a solution does
 *   from       one literal for each read and each write that it may see */
#ifndef SYMBOLIC_ENCODE_H
#define SYMBOLIC_ENCODE_H

#include "symbolic/problem.h"

struct stretch {
    lit executed;
    uint16_t thr;
    node_id first;
};

struct atom {
    node_id a, b;
    lit l;
};

/* An order that holds whenever b is executed. */
struct given {
    node_id a, b;
    lit group; /* 0: none */
};

enum { ROUNDS_USUAL = 4 };

struct encoder {
    const struct problem *p;
    const struct goal *g;
    struct solver *s;
    lit yes; /* a literal that is true */
    node_id from, end;
    uint64_t given_max;     /* clauses; 0: no limit. If it is met they are not complete */
    uint32_t *start, *stop; /* by thread: its nodes start .. stop may be executed */
    uint32_t *stretch_of;   /* by node - from */
    VEC(struct stretch) stretches;
    VEC(struct atom) atoms;
    struct map atom_of; /* a << 32 | b -> atom */
    VEC(struct given) given;
    node_id
        *writer; /* by place: what it holds when the stretch begins, NONE: as at the start */
    uint8_t *term_seen; /* by term: it matters; grows with cone_size */
    uint32_t cone_size;
    bool *place_matters; /* by place */
    VEC(term) cone;
    /* accesses of the stretch, by place: writes_first[x] .. writes_first[x + 1) */
    uint32_t *writes_first;
    node_id *writes;
    uint32_t *write_parts;
    VEC(lit) clause;
    /* Only to explain a no: every clause belongs to a reason, and holds if that one's literal
     * does. */
    bool explains;
    lit group; /* of the clauses that are made; 0: of none, they always hold */
    hinder_list reasons;
    VEC(lit) reason_lits;
    struct encode_stat stat;
};

static inline const struct node *node_at(const struct encoder *e, node_id n)
{
    return &e->p->nodes.at[n];
}

static inline node_id thread_node(const struct encoder *e, uint32_t thr, uint32_t idx)
{
    return e->p->paths.at[thr].nodes.at[idx];
}

/* May it be executed within the stretch? */
static inline bool is_open(const struct encoder *e, node_id n)
{
    return n != NONE && n >= e->from && node_at(e, n)->idx < e->stop[node_at(e, n)->thr];
}

/* Does it happen: true before the stretch, false behind it. */
static inline lit executed(const struct encoder *e, node_id n)
{
    if (n == NONE)
        return -e->yes;
    if (n < e->from)
        return e->yes;
    return is_open(e, n) ? e->stretches.at[e->stretch_of[n - e->from]].executed : -e->yes;
}

static inline bool is_too_much(const struct encoder *e)
{
    return e->given_max > 0 && e->s->clauses > e->given_max;
}

/* Terms without the reads that are forwarded. Not in explanations, which name what these rest
 * on, and not where a read sees what nobody knows. */
static inline bool is_plain(const struct encoder *e)
{
    return e->explains || e->g->kind == GOAL_EARLY;
}

static inline term lean(const struct encoder *e, term t)
{
    return is_plain(e) ? t : problem_lean(e->p, t);
}

/* A read that cannot see everything: nothing is known of its value but that it is as recorded,
 * or not all of what is written there is known. */
static inline bool is_bound(const struct encoder *e, const struct part *part)
{
    return part->reads && (is_plain(e) || !part->is_forwarded) &&
           (part->read == NONE || e->p->places.at[part->place].is_odd);
}

/* Adds what must hold: begin, then add each literal, then end. */
static inline void clause_begin(struct encoder *e)
{
    e->clause.len = 0;
}

static inline void clause_add(struct encoder *e, lit l)
{
    vec_push(&e->clause, l);
}

void clause_end(struct encoder *e);

/* Clauses from here on belong to this reason; until group_end. */
void group_begin(struct encoder *e, enum hinder_kind kind, uint32_t what);

static inline void group_end(struct encoder *e)
{
    e->group = 0;
}

/* a happens before b, both being executed. */
lit node_is_before(struct encoder *e, node_id a, node_id b);
/* Whenever b happens, a has happened before. */
void give_order(struct encoder *e, node_id a, node_id b);

/* ---- the whole --------------------------------------------------------------------------- */

void encoder_init(struct encoder *e, const struct encode_opts *opts);
void encoder_done(struct encoder *e);
/* Makes all clauses. false: there is nothing to solve, answer says why. */
bool encode_all(struct encoder *e, uint32_t clauses_max, enum verdict_sat *answer);
/* Solves, with these literals assumed, until the orders of the solution have no circles. */
enum verdict_sat encode_search(struct encoder *e, const lit *assumed, uint32_t count,
                               bool is_limited);

/* ---- the parts of it --------------------------------------------------------------------- */

void encode_memory(struct encoder *e);
/* How many clauses that takes, about. */
uint64_t memory_size(const struct encoder *e);
void encode_sync(struct encoder *e);
/* Does the solution order nodes in circles? Forbids those. false: it does not. */
bool orders_refine(struct encoder *e);
/* The solution's nodes that the goal needs, in one order. */
void orders_linearise(struct encoder *e, struct sym_witness *out);
/* Marks the reads whose values matter. */
void cone_mark(struct encoder *e);
/* Does the value of this term? */
static inline bool cone_has(const struct encoder *e, term t)
{
    return t < e->cone_size && e->term_seen[t];
}

#endif
