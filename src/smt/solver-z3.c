/* SPDX-License-Identifier: Apache-2.0
 *
 * solver-z3: Z3's simple solver. Terms become its bit-vectors, terms of width 1 its booleans.
 * One context for each solver: it goes at once, with everything in it. */
#include "smt/smt.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "smt/z3-load.h"

#include <string.h>
#include <z3.h>

/* Z3's resource count goes up by so much in a microsecond, about. */
enum { RESOURCES_PER_WORK = 8 };

struct z3_solver {
    struct solver base;
    struct term_pool *pool; /* borrowed */
    uint64_t work;
    Z3_context context;
    Z3_solver solver;
    Z3_model model;       /* NULL: none */
    VEC(Z3_ast) literals; /* by literal; 0 is not used */
    VEC(Z3_ast) of_term;  /* by term, or NULL */
    struct map lit_of;    /* term -> literal */
    VEC(term) stack;
    VEC(uint32_t) core; /* ids of the assumptions that were needed */
    VEC(Z3_ast) scratch;
};

static struct z3_solver *own(struct solver *s)
{
    return (struct z3_solver *)s;
}

static void on_error(Z3_context context, Z3_error_code code)
{
    check_failed(__FILE__, __LINE__, Z3_get_error_msg(context, code));
}

static struct solver *z3_start(struct term_pool *p, const struct solver_opts *opts)
{
    struct err err;
    if (z3_load(&err) < 0)
        check_failed(__FILE__, __LINE__, err.text);
    struct z3_solver *s = mem_zeroed(1, sizeof *s);
    Z3_config config = Z3_mk_config();
    s->base.engine = &engine_z3;
    s->pool = p;
    s->work = opts->work;
    s->context = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(s->context, on_error);
    s->solver = Z3_mk_simple_solver(s->context);
    Z3_solver_inc_ref(s->context, s->solver);
    vec_push(&s->literals, NULL);
    return &s->base;
}

static void drop_model(struct z3_solver *s)
{
    if (s->model)
        Z3_model_dec_ref(s->context, s->model);
    s->model = NULL;
}

static void z3_end(struct solver *base)
{
    struct z3_solver *s = own(base);
    drop_model(s);
    Z3_solver_dec_ref(s->context, s->solver);
    Z3_del_context(s->context);
    vec_done(&s->literals);
    vec_done(&s->of_term);
    vec_done(&s->stack);
    vec_done(&s->core);
    vec_done(&s->scratch);
    map_done(&s->lit_of);
    free(s);
}

/* ---- terms ------------------------------------------------------------------------------- */

static Z3_ast make_const(struct z3_solver *s, unsigned width, term_bits value)
{
    Z3_context c = s->context;
    if (width == 1)
        return value ? Z3_mk_true(c) : Z3_mk_false(c);
    unsigned low = width < 64 ? width : 64;
    Z3_ast out = Z3_mk_unsigned_int64(c, (uint64_t)value, Z3_mk_bv_sort(c, low));
    if (width > 64)
        out = Z3_mk_concat(
            c, Z3_mk_unsigned_int64(c, (uint64_t)(value >> 64), Z3_mk_bv_sort(c, width - 64)),
            out);
    return out;
}

static Z3_ast make_var(struct z3_solver *s, unsigned width, uint32_t number)
{
    Z3_context c = s->context;
    Z3_sort sort = width == 1 ? Z3_mk_bool_sort(c) : Z3_mk_bv_sort(c, width);
    return Z3_mk_const(c, Z3_mk_int_symbol(c, (int)(2 * number)), sort);
}

/* Width 1 is boolean in Z3's terms; where bits are meant it has to become one. */
static Z3_ast as_bits(struct z3_solver *s, term t)
{
    Z3_ast a = s->of_term.at[t];
    if (term_width(s->pool, t) > 1)
        return a;
    Z3_sort bit = Z3_mk_bv_sort(s->context, 1);
    return Z3_mk_ite(s->context, a, Z3_mk_unsigned_int64(s->context, 1, bit),
                     Z3_mk_unsigned_int64(s->context, 0, bit));
}

static Z3_ast as_node(struct z3_solver *s, unsigned width, Z3_ast bits)
{
    if (width > 1)
        return bits;
    return Z3_mk_eq(s->context, bits,
                    Z3_mk_unsigned_int64(s->context, 1, Z3_mk_bv_sort(s->context, 1)));
}

/* Of booleans, without a way through bits; NULL: there is none. */
static Z3_ast make_boolean(struct z3_solver *s, const struct term_node *n)
{
    Z3_context c = s->context;
    if (term_width(s->pool, n->a) != 1)
        return NULL;
    Z3_ast a = s->of_term.at[n->a];
    if (n->op == TERM_NOT)
        return Z3_mk_not(c, a);
    if (n->op < TERM_ADD || n->op > TERM_SLE)
        return NULL;
    Z3_ast pair[2] = {a, s->of_term.at[n->b]};
    switch (n->op) {
    case TERM_AND:
        return Z3_mk_and(c, 2, pair);
    case TERM_OR:
        return Z3_mk_or(c, 2, pair);
    case TERM_XOR:
        return Z3_mk_xor(c, pair[0], pair[1]);
    case TERM_EQ:
        return Z3_mk_iff(c, pair[0], pair[1]);
    default:
        return NULL;
    }
}

typedef Z3_ast (*binary_fn)(Z3_context c, Z3_ast a, Z3_ast b);

static const binary_fn binary[TERM_OP_COUNT] = {
    [TERM_ADD] = Z3_mk_bvadd,    [TERM_SUB] = Z3_mk_bvsub,   [TERM_MUL] = Z3_mk_bvmul,
    [TERM_UDIV] = Z3_mk_bvudiv,  [TERM_SDIV] = Z3_mk_bvsdiv, [TERM_UREM] = Z3_mk_bvurem,
    [TERM_SREM] = Z3_mk_bvsrem,  [TERM_SHL] = Z3_mk_bvshl,   [TERM_LSHR] = Z3_mk_bvlshr,
    [TERM_ASHR] = Z3_mk_bvashr,  [TERM_AND] = Z3_mk_bvand,   [TERM_OR] = Z3_mk_bvor,
    [TERM_XOR] = Z3_mk_bvxor,    [TERM_EQ] = Z3_mk_eq,       [TERM_ULT] = Z3_mk_bvult,
    [TERM_ULE] = Z3_mk_bvule,    [TERM_SLT] = Z3_mk_bvslt,   [TERM_SLE] = Z3_mk_bvsle,
    [TERM_CONCAT] = Z3_mk_concat};

/* Of a node whose children are made. */
static Z3_ast make_node(struct z3_solver *s, const struct term_node *n)
{
    Z3_context c = s->context;
    Z3_ast boolean = make_boolean(s, n);
    unsigned inner = term_width(s->pool, n->a);
    if (boolean)
        return boolean;
    switch (n->op) {
    case TERM_NOT:
        return Z3_mk_bvnot(c, s->of_term.at[n->a]);
    case TERM_ITE:
        return Z3_mk_ite(c, s->of_term.at[n->a], s->of_term.at[n->b], s->of_term.at[n->c]);
    case TERM_ZEXT:
        return Z3_mk_zero_ext(c, n->width - inner, as_bits(s, n->a));
    case TERM_SEXT:
        return Z3_mk_sign_ext(c, n->width - inner, as_bits(s, n->a));
    case TERM_EXTRACT:
        return as_node(s, n->width,
                       Z3_mk_extract(c, n->low + n->width - 1u, n->low, as_bits(s, n->a)));
    default:
        break;
    }
    CHECK(binary[n->op]);
    Z3_ast result = binary[n->op](c, as_bits(s, n->a), as_bits(s, n->b));
    return n->op >= TERM_EQ && n->op <= TERM_SLE ? result : as_node(s, n->width, result);
}

static unsigned children(const struct term_node *n, term out[3])
{
    out[0] = n->a;
    out[1] = n->b;
    out[2] = n->c;
    return term_child_count(n);
}

static Z3_ast make(struct z3_solver *s, term t)
{
    while (s->of_term.len < term_count(s->pool))
        vec_push(&s->of_term, NULL);
    s->stack.len = 0;
    vec_push(&s->stack, t);
    while (s->stack.len) {
        term top = s->stack.at[s->stack.len - 1], child[3];
        const struct term_node *n = term_at(s->pool, top);
        unsigned count = children(n, child), missing = 0;
        for (unsigned i = 0; i < count; i++)
            if (!s->of_term.at[child[i]]) {
                vec_push(&s->stack, child[i]);
                missing++;
            }
        if (missing)
            continue;
        s->stack.len--;
        if (s->of_term.at[top])
            continue;
        s->of_term.at[top] = n->op == TERM_CONST
                                 ? make_const(s, n->width, term_value(s->pool, top))
                             : n->op == TERM_VAR ? make_var(s, n->width, n->a)
                                                 : make_node(s, n);
    }
    return s->of_term.at[t];
}

/* ---- literals and clauses ---------------------------------------------------------------- */

static lit push_lit(struct z3_solver *s, Z3_ast a)
{
    vec_push(&s->literals, a);
    return (lit)s->literals.len - 1;
}

static lit z3_boolean(struct solver *base)
{
    struct z3_solver *s = own(base);
    Z3_symbol name = Z3_mk_int_symbol(s->context, (int)(2 * s->literals.len + 1));
    return push_lit(s, Z3_mk_const(s->context, name, Z3_mk_bool_sort(s->context)));
}

static lit z3_of_term(struct solver *base, term t)
{
    struct z3_solver *s = own(base);
    CHECK(term_width(s->pool, t) == 1);
    uint32_t *at = map_at(&s->lit_of, t);
    if (*at == NONE)
        *at = (uint32_t)push_lit(s, make(s, t));
    return (lit)*at;
}

static Z3_ast ast_of(struct z3_solver *s, lit l)
{
    CHECK(l != 0 && (uint32_t)(l < 0 ? -l : l) < s->literals.len);
    return l > 0 ? s->literals.at[l] : Z3_mk_not(s->context, s->literals.at[-l]);
}

static void z3_clause(struct solver *base, const lit *l, uint32_t count)
{
    struct z3_solver *s = own(base);
    drop_model(s);
    s->scratch.len = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&s->scratch, ast_of(s, l[i]));
    Z3_ast clause = count == 0   ? Z3_mk_false(s->context)
                    : count == 1 ? s->scratch.at[0]
                                 : Z3_mk_or(s->context, count, s->scratch.at);
    Z3_solver_assert(s->context, s->solver, clause);
}

/* ---- answers ----------------------------------------------------------------------------- */

/* Limits are parameters of the solver that one check uses up. */
static void set_limit(struct z3_solver *s)
{
    if (s->work == 0)
        return;
    uint64_t limit = s->work * RESOURCES_PER_WORK;
    Z3_params params = Z3_mk_params(s->context);
    Z3_params_inc_ref(s->context, params);
    Z3_params_set_uint(s->context, params, Z3_mk_string_symbol(s->context, "rlimit"),
                       limit > UINT32_MAX ? UINT32_MAX : (unsigned)limit);
    Z3_solver_set_params(s->context, s->solver, params);
    Z3_params_dec_ref(s->context, params);
}

static void keep_core(struct z3_solver *s)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(s->context, s->solver);
    Z3_ast_vector_inc_ref(s->context, core);
    s->core.len = 0;
    for (unsigned i = 0; i < Z3_ast_vector_size(s->context, core); i++)
        vec_push(&s->core, Z3_get_ast_id(s->context, Z3_ast_vector_get(s->context, core, i)));
    Z3_ast_vector_dec_ref(s->context, core);
}

static enum verdict_sat z3_check(struct solver *base, const lit *assumed, uint32_t count)
{
    struct z3_solver *s = own(base);
    drop_model(s);
    set_limit(s);
    s->scratch.len = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&s->scratch, ast_of(s, assumed[i]));
    Z3_lbool answer = Z3_solver_check_assumptions(s->context, s->solver, count, s->scratch.at);
    if (answer == Z3_L_UNDEF)
        return SAT_UNKNOWN;
    if (answer == Z3_L_FALSE) {
        keep_core(s);
        return SAT_NO;
    }
    s->model = Z3_solver_get_model(s->context, s->solver);
    Z3_model_inc_ref(s->context, s->model);
    return SAT_YES;
}

static Z3_ast in_model(struct z3_solver *s, Z3_ast a)
{
    Z3_ast out = NULL;
    CHECK(s->model);
    CHECK(Z3_model_eval(s->context, s->model, a, true, &out));
    return out;
}

static bool z3_value(struct solver *base, lit l)
{
    struct z3_solver *s = own(base);
    bool is_true =
        Z3_get_bool_value(s->context, in_model(s, s->literals.at[l < 0 ? -l : l])) == Z3_L_TRUE;
    return l < 0 ? !is_true : is_true;
}

static uint64_t part_value(struct z3_solver *s, Z3_ast a, unsigned high, unsigned low)
{
    uint64_t value = 0;
    Z3_ast part = in_model(s, Z3_mk_extract(s->context, high, low, a));
    CHECK(Z3_get_numeral_uint64(s->context, part, &value));
    return value;
}

static term_bits z3_term_value(struct solver *base, term t)
{
    struct z3_solver *s = own(base);
    unsigned width = term_width(s->pool, t);
    Z3_ast a = make(s, t);
    if (width == 1)
        return Z3_get_bool_value(s->context, in_model(s, a)) == Z3_L_TRUE;
    if (width <= 64)
        return part_value(s, a, width - 1, 0);
    return (term_bits)part_value(s, a, width - 1, 64) << 64 | part_value(s, a, 63, 0);
}

static bool z3_in_core(struct solver *base, lit assumed)
{
    struct z3_solver *s = own(base);
    uint32_t id = Z3_get_ast_id(s->context, ast_of(s, assumed));
    for (uint32_t i = 0; i < s->core.len; i++)
        if (s->core.at[i] == id)
            return true;
    return false;
}

const struct engine engine_z3 = {
    .name = "z3",
    .help = "Z3's simple solver",
    .start = z3_start,
    .end = z3_end,
    .boolean = z3_boolean,
    .of_term = z3_of_term,
    .clause = z3_clause,
    .check = z3_check,
    .value = z3_value,
    .term_value = z3_term_value,
    .in_core = z3_in_core,
};
