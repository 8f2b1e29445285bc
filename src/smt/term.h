/* SPDX-License-Identifier: Apache-2.0
 *
 * term: expressions over bit-vectors, each made once: equal terms have equal ids. A boolean has
 * width 1. Nothing here knows a solver.
 *
 * Operations are LLVM's, made total where LLVM's have no value, in the way of SMT-LIB: x udiv 0
 * is all ones, x urem 0 and x srem 0 are x, x sdiv 0 is 1 for a negative x and all ones
 * otherwise, the smallest number sdiv -1 is itself; a shift by the width or more leaves zeros
 * (ashr: copies of the sign). Who cares must ask for the divisor himself.
 *
 * Constants are folded, and small algebra is done (x + 0, x ^ x, ite(c, a, a), extract of a
 * concat, ...), so that what does not depend on a variable is a constant. */
#ifndef SMT_TERM_H
#define SMT_TERM_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t term; /* id in its pool; children have smaller ids. NONE: no term */
__extension__ typedef unsigned __int128 term_bits;

enum { TERM_WIDTH_MAX = 128 };

enum term_op {
    TERM_CONST,
    TERM_VAR,
    TERM_ADD,
    TERM_SUB,
    TERM_MUL,
    TERM_UDIV,
    TERM_SDIV,
    TERM_UREM,
    TERM_SREM,
    TERM_SHL,
    TERM_LSHR,
    TERM_ASHR,
    TERM_AND,
    TERM_OR,
    TERM_XOR,
    TERM_NOT, /* every bit; of a boolean: not */
    TERM_EQ,  /* from here to TERM_SLE the result has width 1 */
    TERM_ULT,
    TERM_ULE,
    TERM_SLT,
    TERM_SLE,
    TERM_ITE,  /* a (width 1) ? b : c */
    TERM_ZEXT, /* a to the node's width */
    TERM_SEXT,
    TERM_EXTRACT, /* the node's width of bits of a, from bit low on */
    TERM_CONCAT,  /* a above b */
    TERM_OP_COUNT
};

struct term_node {
    uint8_t op;
    uint8_t width; /* 1 .. TERM_WIDTH_MAX */
    uint16_t low;  /* extract */
    /* const: index of the value; var: number of the variable, dense from 0 */
    term a, b, c;
};

struct term_pool;

struct term_pool *term_pool_new(void);
void term_pool_free(struct term_pool *p);

static inline void auto_term_pool(struct term_pool **p)
{
    term_pool_free(*p);
}

/* ---- making terms ----------------------------------------------------------------------- */

term term_const(struct term_pool *p, unsigned width, term_bits value); /* the low bits of it */
term term_var(struct term_pool *p, unsigned width);                    /* a fresh variable */
/* TERM_ADD .. TERM_XOR and TERM_EQ .. TERM_SLE; a and b have one width. */
term term_binary(struct term_pool *p, enum term_op op, term a, term b);
term term_not(struct term_pool *p, term a);
term term_ite(struct term_pool *p, term condition, term yes, term no);
term term_zext(struct term_pool *p, term a, unsigned width);
term term_sext(struct term_pool *p, term a, unsigned width);
/* width bits of a from bit low on; low 0 is LLVM's trunc. */
term term_extract(struct term_pool *p, term a, unsigned low, unsigned width);
term term_concat(struct term_pool *p, term high, term low);

static inline term term_bool(struct term_pool *p, bool value)
{
    return term_const(p, 1, value);
}

static inline term term_and(struct term_pool *p, term a, term b)
{
    return term_binary(p, TERM_AND, a, b);
}

static inline term term_or(struct term_pool *p, term a, term b)
{
    return term_binary(p, TERM_OR, a, b);
}

static inline term term_eq(struct term_pool *p, term a, term b)
{
    return term_binary(p, TERM_EQ, a, b);
}

/* ---- looking at them -------------------------------------------------------------------- */

uint32_t term_count(const struct term_pool *p);
uint32_t term_var_count(const struct term_pool *p);
const struct term_node *term_at(const struct term_pool *p, term t); /* until one is made */
term_bits term_value(const struct term_pool *p, term t);            /* of a constant */

static inline unsigned term_width(const struct term_pool *p, term t)
{
    return term_at(p, t)->width;
}

static inline bool term_is_const(const struct term_pool *p, term t)
{
    return term_at(p, t)->op == TERM_CONST;
}

static inline bool term_is(const struct term_pool *p, term t, term_bits value)
{
    return term_is_const(p, t) && term_value(p, t) == value;
}

unsigned term_child_count(const struct term_node *n); /* so many of a, b, c are terms */

/* For each term of the pool: does it depend on var, or is it that itself? The caller frees. */
bool *term_dependents(const struct term_pool *p, term var);

/* The other way: which terms is this one made of? */
bool *term_parts(const struct term_pool *p, term of);

/* Number of a variable: dense from 0. */
static inline uint32_t term_var_number(const struct term_pool *p, term t)
{
    return term_at(p, t)->a;
}

/* What op gives on two values of this width: the one definition of the operations TERM_ADD ..
 * TERM_XOR and TERM_EQ .. TERM_SLE. */
term_bits term_fold(enum term_op op, unsigned width, term_bits a, term_bits b);

/* All ones of a width, and a value read as a signed one. */
term_bits term_mask(unsigned width);
__extension__ __int128 term_signed(term_bits value, unsigned width);

/* ---- evaluating them -------------------------------------------------------------------- */

/* Values of variables, given once each, and what follows from them. */
struct term_env;

struct term_env *term_env_new(const struct term_pool *p);
void term_env_free(struct term_env *e);

static inline void auto_term_env(struct term_env **e)
{
    term_env_free(*e);
}

void term_env_set(struct term_env *e, term var, term_bits value);
/* false: it depends on a variable that has no value yet. */
bool term_eval(struct term_env *e, term t, term_bits *out);

#endif
