/* SPDX-License-Identifier: Apache-2.0
 *
 * alone: see alone.h. Most questions about pointers end here: the thread has compared what it
 * is about to follow. */
#include "symbolic/alone.h"

#include "base/err.h"
#include "symbolic/bounds.h"

enum { PASSED_MAX = 400, TERMS_MAX = 4000 }; /* conditions that are looked at, their terms */

/* Terms that matter: those of the check, and of conditions that share a variable with them. */
struct alone {
    const struct problem *p;
    uint8_t *seen; /* by term: it matters */
    uint32_t *met; /* by term: the last condition that it was met in */
    uint32_t round;
    VEC(term) list, vars;
    struct solver *s;
};

/* What a condition is made of. false: that is too much. */
static bool list_terms(struct alone *a, term cond)
{
    a->list.len = 0;
    a->round++;
    vec_push(&a->list, cond);
    a->met[cond] = a->round;
    for (uint32_t i = 0; i < a->list.len; i++) {
        const struct term_node *n = term_at(a->p->pool, a->list.at[i]);
        const term child[3] = {n->a, n->b, n->c};
        for (unsigned k = 0; k < term_child_count(n); k++)
            if (a->met[child[k]] != a->round) {
                a->met[child[k]] = a->round;
                vec_push(&a->list, child[k]);
            }
    }
    return a->list.len <= TERMS_MAX;
}

static bool is_var(const struct alone *a, term t)
{
    return term_at(a->p->pool, t)->op == TERM_VAR;
}

static bool shares_variable(const struct alone *a)
{
    for (uint32_t i = 0; i < a->list.len; i++)
        if (a->seen[a->list.at[i]] && is_var(a, a->list.at[i]))
            return true;
    return false;
}

static void take_terms(struct alone *a)
{
    for (uint32_t i = 0; i < a->list.len; i++) {
        term t = a->list.at[i];
        if (!a->seen[t] && is_var(a, t))
            vec_push(&a->vars, t);
        a->seen[t] = 1;
    }
}

static void must(struct alone *a, term t, bool holds)
{
    lit l = solver_lit(a->s, t);
    l = holds ? l : -l;
    solver_clause(a->s, &l, 1);
}

/* From the check back to the thread's beginning: what it has passed. */
static void add_passed(struct alone *a, const struct node *check)
{
    const struct path *path = &a->p->paths.at[check->thr];
    uint32_t looked = 0;
    for (uint32_t i = check->idx; i-- > 0 && looked < PASSED_MAX;) {
        const struct node *n = &a->p->nodes.at[path->nodes.at[i]];
        if ((n->op != NODE_GUARD && n->op != NODE_CHECK) || n->is_idle)
            continue;
        term cond = problem_lean(a->p, n->cond);
        looked++;
        if (term_is_const(a->p->pool, cond) || !list_terms(a, cond) || !shares_variable(a))
            continue;
        take_terms(a);
        must(a, cond, n->op == NODE_GUARD);
    }
}

/* A fact makes new terms: the arrays by term must not be asked behind this. */
static void add_facts(struct alone *a)
{
    for (uint32_t i = 0; i < a->vars.len; i++) {
        term fact = ranges_fact(a->p->ranges, a->p, a->vars.at[i]);
        if (fact != NONE)
            must(a, fact, true);
    }
}

bool alone_can_fail(const struct problem *p, node_id check, const struct engine *engine,
                    uint64_t work, uint64_t *given)
{
    AUTO(solver) struct solver *s = solver_new(engine, p->pool, &(struct solver_opts){work});
    struct alone a = {.p = p, .s = s};
    const struct node *node = &p->nodes.at[check];
    term cond = problem_lean(p, node->cond);
    a.seen = mem_zeroed(term_count(p->pool) + 1, sizeof *a.seen);
    a.met = mem_zeroed(term_count(p->pool) + 1, sizeof *a.met);
    bool can_fail = true;
    if (list_terms(&a, cond)) {
        take_terms(&a);
        must(&a, cond, true);
        add_passed(&a, node);
        add_facts(&a);
        can_fail = solver_check(s, NULL, 0) != SAT_NO;
    }
    *given = s->clauses;
    vec_done(&a.list);
    vec_done(&a.vars);
    free(a.seen);
    free(a.met);
    return can_fail;
}
