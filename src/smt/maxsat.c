/* SPDX-License-Identifier: Apache-2.0
 *
 * maxsat: Z3's optimiser. One context for each, which goes with everything in it. */
#include "smt/smt.h"

#include "base/vec.h"
#include "smt/z3-load.h"

#include <stdio.h>
#include <stdlib.h>
#include <z3.h>

struct maxsat {
    Z3_context context;
    Z3_optimize optimize;
    VEC(Z3_ast) literals; /* by literal; 0 is not used */
    VEC(bool) values;     /* by literal, of the cheapest way */
};

static void on_error(Z3_context context, Z3_error_code code)
{
    check_failed(__FILE__, __LINE__, Z3_get_error_msg(context, code));
}

struct maxsat *maxsat_new(struct err *err)
{
    if (z3_load(err) < 0)
        return NULL;
    struct maxsat *m = mem_zeroed(1, sizeof *m);
    Z3_config config = Z3_mk_config();
    m->context = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(m->context, on_error);
    m->optimize = Z3_mk_optimize(m->context);
    Z3_optimize_inc_ref(m->context, m->optimize);
    vec_push(&m->literals, NULL);
    vec_push(&m->values, false);
    return m;
}

void maxsat_free(struct maxsat *m)
{
    if (!m)
        return;
    Z3_optimize_dec_ref(m->context, m->optimize);
    Z3_del_context(m->context);
    vec_done(&m->literals);
    vec_done(&m->values);
    free(m);
}

lit maxsat_bool(struct maxsat *m)
{
    lit l = (lit)m->literals.len;
    Z3_sort sort = Z3_mk_bool_sort(m->context);
    vec_push(&m->literals, Z3_mk_const(m->context, Z3_mk_int_symbol(m->context, l), sort));
    vec_push(&m->values, false);
    return l;
}

static Z3_ast ast_of(const struct maxsat *m, lit l)
{
    Z3_ast a = m->literals.at[l < 0 ? -l : l];
    return l < 0 ? Z3_mk_not(m->context, a) : a;
}

void maxsat_clause(struct maxsat *m, const lit *l, uint32_t count)
{
    VEC(Z3_ast) parts = {0};
    for (uint32_t i = 0; i < count; i++)
        vec_push(&parts, ast_of(m, l[i]));
    Z3_optimize_assert(m->context, m->optimize,
                       count ? Z3_mk_or(m->context, count, parts.at) : Z3_mk_false(m->context));
    vec_done(&parts);
}

void maxsat_cost(struct maxsat *m, lit l, uint32_t cost)
{
    char weight[16];
    snprintf(weight, sizeof weight, "%u", cost);
    if (cost)
        Z3_optimize_assert_soft(m->context, m->optimize, ast_of(m, -l), weight,
                                Z3_mk_string_symbol(m->context, "cost"));
}

enum verdict_sat maxsat_solve(struct maxsat *m)
{
    Z3_lbool answer = Z3_optimize_check(m->context, m->optimize, 0, NULL);
    if (answer != Z3_L_TRUE)
        return answer == Z3_L_FALSE ? SAT_NO : SAT_UNKNOWN;
    Z3_model model = Z3_optimize_get_model(m->context, m->optimize);
    Z3_model_inc_ref(m->context, model);
    for (uint32_t i = 1; i < m->literals.len; i++) {
        Z3_ast value;
        m->values.at[i] = Z3_model_eval(m->context, model, m->literals.at[i], true, &value) &&
                          Z3_get_bool_value(m->context, value) == Z3_L_TRUE;
    }
    Z3_model_dec_ref(m->context, model);
    return SAT_YES;
}

bool maxsat_value(const struct maxsat *m, lit l)
{
    return m->values.at[l < 0 ? -l : l] == (l > 0);
}
