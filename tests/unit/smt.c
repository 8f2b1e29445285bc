/* SPDX-License-Identifier: Apache-2.0
 *
 * smt: terms fold as LLVM's operations do, and whatever is simplified keeps its value. */
#include "smt/smt.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/rng.h"
#include "test.h"

#include <inttypes.h>

static term_bits wide(struct rng *rng)
{
    switch (rng_below(rng, 4)) {
    case 0:
        return rng_below(rng, 3);
    case 1:
        return -(term_bits)rng_below(rng, 3);
    default:
        return (term_bits)rng_next(rng) << 64 | rng_next(rng);
    }
}

TEST(equal_terms_are_one)
{
    AUTO(term_pool) struct term_pool *p = term_pool_new();
    term x = term_var(p, 32), y = term_var(p, 32);
    EXPECT(x != y);
    EXPECT_EQ(term_binary(p, TERM_ADD, x, y), term_binary(p, TERM_ADD, y, x));
    EXPECT_EQ(term_const(p, 8, 256 + 7), term_const(p, 8, 7));
    EXPECT(term_const(p, 8, 7) != term_const(p, 9, 7));
    term more = term_binary(p, TERM_SUB, x, term_const(p, 32, 5));
    EXPECT_EQ(term_binary(p, TERM_ADD, more, term_const(p, 32, 5)), x);
    term high = term_extract(p, x, 8, 24), low = term_extract(p, x, 0, 8);
    EXPECT_EQ(term_concat(p, high, low), x);
    EXPECT_EQ(term_extract(p, term_zext(p, low, 32), 0, 8), low);
}

TEST(folds_at_every_edge)
{
    struct {
        enum term_op op;
        unsigned width;
        int64_t a, b, result;
    } row[] = {
        {TERM_ADD, 8, 255, 1, 0},        {TERM_SUB, 8, 0, 1, 255},
        {TERM_MUL, 16, 256, 256, 0},     {TERM_UDIV, 8, 200, 7, 28},
        {TERM_SDIV, 8, -7, 2, -3},       {TERM_SDIV, 8, -128, -1, -128},
        {TERM_SREM, 8, -7, 2, -1},       {TERM_SREM, 8, 7, -2, 1},
        {TERM_UDIV, 8, 5, 0, 255},       {TERM_UREM, 8, 5, 0, 5},
        {TERM_SDIV, 8, -5, 0, 1},        {TERM_SDIV, 8, 5, 0, -1},
        {TERM_SHL, 8, 3, 7, 128},        {TERM_SHL, 8, 1, 8, 0},
        {TERM_LSHR, 8, -1, 1, 127},      {TERM_ASHR, 8, -2, 1, -1},
        {TERM_ASHR, 8, -2, 200, -1},     {TERM_ASHR, 8, 64, 200, 0},
        {TERM_SLT, 8, -1, 0, 1},         {TERM_ULT, 8, -1, 0, 0},
        {TERM_SLE, 64, INT64_MIN, 0, 1}, {TERM_SREM, 64, INT64_MIN, -1, 0},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        term_bits mask = term_mask(row[i].width);
        bool compares = row[i].op >= TERM_EQ && row[i].op <= TERM_SLE;
        term_bits want = (term_bits)row[i].result & (compares ? 1 : mask);
        term_bits got = term_fold(row[i].op, row[i].width, (term_bits)row[i].a & mask,
                                  (term_bits)row[i].b & mask);
        if (got != want)
            FAIL("row %u: %" PRIx64 " instead of %" PRIx64, i, (uint64_t)got, (uint64_t)want);
    }
    EXPECT(term_signed((term_bits)1 << 127, 128) < 0);
    EXPECT_EQ(term_signed(0x80, 8), -128);
}

enum { POOL = 40 };

/* One more random term over those that are there, with the value that it must have. */
static term grow(struct rng *rng, struct term_pool *p, const term *t, const term_bits *v,
                 unsigned count, term_bits *value)
{
    unsigned i = rng_below(rng, count), j = rng_below(rng, count), k = rng_below(rng, count);
    unsigned width = term_width(p, t[i]);
    switch (rng_below(rng, 6)) {
    case 0: {
        unsigned to = width + rng_below(rng, TERM_WIDTH_MAX - width + 1);
        bool is_signed = rng_below(rng, 2);
        *value = (is_signed ? (term_bits)term_signed(v[i], width) : v[i]) & term_mask(to);
        return is_signed ? term_sext(p, t[i], to) : term_zext(p, t[i], to);
    }
    case 1: {
        unsigned low = rng_below(rng, width), to = 1 + rng_below(rng, width - low);
        *value = v[i] >> low & term_mask(to);
        return term_extract(p, t[i], low, to);
    }
    case 2: {
        unsigned other = term_width(p, t[j]);
        if (width + other > TERM_WIDTH_MAX)
            break;
        *value = v[i] << other | v[j];
        return term_concat(p, t[i], t[j]);
    }
    case 3:
        if (term_width(p, t[j]) != term_width(p, t[k]))
            break;
        *value = v[i] & 1 ? v[j] : v[k];
        return term_ite(p, term_extract(p, t[i], 0, 1), t[j], t[k]);
    case 4:
        *value = ~v[i] & term_mask(width);
        return term_not(p, t[i]);
    default:
        if (width == term_width(p, t[j])) {
            unsigned op = TERM_ADD + rng_below(rng, TERM_SLE - TERM_ADD + 1);
            if (op == TERM_NOT)
                break;
            *value = term_fold(op, width, v[i], v[j]);
            return term_binary(p, op, t[i], t[j]);
        }
    }
    *value = v[j];
    return t[j];
}

TEST(what_is_simplified_keeps_its_value)
{
    struct rng rng = {.state = 1};
    for (unsigned round = 0; round < 3000; round++) {
        AUTO(term_pool) struct term_pool *p = term_pool_new();
        AUTO(term_env) struct term_env *e = term_env_new(p);
        term t[POOL];
        term_bits v[POOL];
        for (unsigned i = 0; i < POOL; i++) {
            unsigned width = i < 4 ? 8 : 1 + rng_below(&rng, TERM_WIDTH_MAX);
            v[i] = wide(&rng) & term_mask(width);
            if (i < 8)
                t[i] = term_const(p, width, v[i]);
            else if (i < 12)
                term_env_set(e, t[i] = term_var(p, width), v[i]);
            else
                t[i] = grow(&rng, p, t, v, i, &v[i]);
        }
        for (unsigned i = 0; i < POOL; i++) {
            term_bits got = 0;
            EXPECT(term_eval(e, t[i], &got));
            if (got != v[i])
                FAIL("round %u, term %u differs", round, i);
        }
    }
}

TEST(a_term_without_values_has_none)
{
    AUTO(term_pool) struct term_pool *p = term_pool_new();
    AUTO(term_env) struct term_env *e = term_env_new(p);
    term x = term_var(p, 8), y = term_var(p, 8);
    term sum = term_binary(p, TERM_ADD, x, y);
    term_bits value;
    term_env_set(e, x, 250);
    EXPECT(!term_eval(e, sum, &value));
    term_env_set(e, y, 10);
    EXPECT(term_eval(e, sum, &value) && value == 4);
}

/* A term and a value that it can only have if its variables do. */
TEST(engines_agree_with_folding)
{
    struct rng rng = {.state = 7};
    for (uint32_t k = 0; engines[k]; k++)
        for (unsigned round = 0; round < 150; round++) {
            AUTO(term_pool) struct term_pool *p = term_pool_new();
            AUTO(solver) struct solver *s = solver_new(engines[k], p, &(struct solver_opts){0});
            unsigned width = 1 + rng_below(&rng, 12);
            term x = term_var(p, width), y = term_var(p, width);
            term_bits a = rng_next(&rng) & term_mask(width), b = wide(&rng) & term_mask(width);
            unsigned op = TERM_ADD + rng_below(&rng, TERM_SLE - TERM_ADD + 1);
            if (op == TERM_NOT)
                continue;
            term out = term_binary(p, op, x, y);
            term_bits want = term_fold(op, width, a, b);
            lit given[] = {solver_lit(s, term_eq(p, x, term_const(p, width, a))),
                           solver_lit(s, term_eq(p, y, term_const(p, width, b)))};
            lit same = solver_lit(s, term_eq(p, out, term_const(p, term_width(p, out), want)));
            lit assumed[] = {given[0], given[1], -same};
            if (solver_check(s, assumed, 3) != SAT_NO)
                FAIL("%s, width %u: op %u is something else", engines[k]->name, width, op);
            solver_clause(s, (const lit[]){given[0]}, 1);
            solver_clause(s, (const lit[]){given[1], -same}, 2);
            solver_clause(s, &same, 1);
            if (solver_check(s, NULL, 0) != SAT_YES)
                FAIL("%s, width %u: op %u cannot be", engines[k]->name, width, op);
            else
                EXPECT(solver_term_value(s, x) == a && solver_value(s, same) &&
                       !solver_value(s, -same));
        }
}

TEST(a_core_has_only_what_was_needed)
{
    for (uint32_t k = 0; engines[k]; k++) {
        AUTO(term_pool) struct term_pool *p = term_pool_new();
        AUTO(solver) struct solver *s = solver_new(engines[k], p, &(struct solver_opts){0});
        lit a = solver_bool(s), b = solver_bool(s), c = solver_bool(s);
        solver_clause(s, (const lit[]){-a, -b}, 2);
        EXPECT_EQ(solver_check(s, (const lit[]){a, b, c}, 3), SAT_NO);
        EXPECT(solver_in_core(s, a) && solver_in_core(s, b) && !solver_in_core(s, c));
        EXPECT_EQ(solver_check(s, (const lit[]){a, c}, 2), SAT_YES);
    }
}

/* Every clause and cost, by every assignment. -1: impossible. */
static int cheapest_by_hand(const lit (*clauses)[3], unsigned clause_count,
                            const uint32_t *costs, unsigned variables)
{
    int best = -1;
    for (uint32_t bits = 0; bits < 1U << variables; bits++) {
        bool holds = true;
        int cost = 0;
        for (unsigned i = 0; i < clause_count; i++) {
            bool one = false;
            for (unsigned k = 0; k < 3; k++) {
                lit l = clauses[i][k];
                one |= ((bits >> ((l < 0 ? -l : l) - 1)) & 1) == (l > 0);
            }
            holds &= one;
        }
        for (unsigned v = 0; v < variables; v++)
            cost += (bits >> v) & 1 ? (int)costs[v] : 0;
        if (holds && (best < 0 || cost < best))
            best = cost;
    }
    return best;
}

TEST(maxsat_is_cheapest)
{
    enum { VARIABLES = 7, CLAUSES = 14 };
    struct rng rng = {20};
    for (int round = 0; round < 60; round++) {
        struct err err;
        AUTO(maxsat) struct maxsat *m = maxsat_new(&err);
        lit clauses[CLAUSES][3];
        uint32_t costs[VARIABLES];
        EXPECT(m != NULL);
        for (unsigned v = 0; v < VARIABLES; v++) {
            EXPECT_EQ(maxsat_bool(m), (lit)v + 1);
            costs[v] = (uint32_t)rng_below(&rng, 50);
            maxsat_cost(m, (lit)v + 1, costs[v]);
        }
        for (unsigned i = 0; i < CLAUSES; i++) {
            for (unsigned k = 0; k < 3; k++) {
                lit l = (lit)rng_below(&rng, VARIABLES) + 1;
                clauses[i][k] = rng_below(&rng, 3) ? l : -l;
            }
            maxsat_clause(m, clauses[i], 3);
            int expected = cheapest_by_hand(clauses, i + 1, costs, VARIABLES), got = 0;
            enum verdict_sat answer = maxsat_solve(m);
            for (unsigned v = 0; v < VARIABLES; v++)
                got += maxsat_value(m, (lit)v + 1) ? (int)costs[v] : 0;
            EXPECT_EQ(answer == SAT_YES ? got : -1, expected);
        }
    }
}
