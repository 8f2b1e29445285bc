/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-widen: a value is read under a lock, and what it decides is done when the lock has
 * been given back; meanwhile the value is no longer true. The section grows from the read to
 * the last statement that uses what was read; if the value is returned, in the caller. */
#include "fix/recipe.h"

#include <string.h>

enum { RETURNS_MAX = SECTION_CALLS };

/* The local variable that the statement gives its value to; NONE if there is none. */
static node_id variable_set(const struct unit *u, node_id statement)
{
    const struct node *n = node_of(u, statement);
    if (n->kind == NODE_DECLARATION && n->first != NONE &&
        node_of(u, n->first)->kind == NODE_VARIABLE && !node_of(u, n->first)->is_global)
        return n->first;
    if (n->kind != NODE_ASSIGN || n->first == NONE || node_of(u, n->first)->kind != NODE_NAME)
        return NONE;
    node_id v = node_of(u, n->first)->declared;
    return v != NONE && node_of(u, v)->kind == NODE_VARIABLE && !node_of(u, v)->is_global
               ? v
               : NONE;
}

/* The last use of it behind the statement; NONE if there is none. */
static node_id last_use(const struct unit *u, node_id variable, node_id statement)
{
    node_id function = node_function(u, statement), last = NONE;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (node_of(u, n)->kind == NODE_NAME && node_of(u, n)->declared == variable &&
            node_of(u, n)->start > node_of(u, statement)->end)
            last = n;
    return last;
}

static bool is_in_return(const struct unit *u, node_id n)
{
    node_id s = node_statement(u, n);
    return s != NONE && node_of(u, statement_core(u, s))->kind == NODE_RETURN;
}

static int widen_step(struct sections *p, const struct cause_step *step, struct err *err)
{
    struct node_ref s = codebase_find(p->code, &step->site);
    if (s.node == NONE)
        return err_set(err, "its source was not found");
    struct section_range one = {.access_unit = s.unit,
                                .access = codebase_access(p->code, s, step->site.name)};
    struct code_stack stack = step->stack;
    for (;;) {
        const struct unit *u = codebase_unit(p->code, s.unit);
        node_id statement = node_statement(u, s.node);
        if (statement == NONE)
            return err_set(err, "it is in no statement");
        node_id variable = variable_set(u, statement);
        node_id last = variable != NONE ? last_use(u, variable, statement) : NONE;
        bool is_returned = last != NONE ? is_in_return(u, last) : is_in_return(u, s.node);
        if (!is_returned) {
            one.unit = s.unit;
            if (range_of(u, s.node, last != NONE ? last : s.node, &one.r, err) < 0)
                return -1;
            sections_add(p, one);
            return 0;
        }
        struct node_ref function = {s.unit, node_function(u, s.node)};
        s = caller_of(p->code, function, &stack);
        if (s.node == NONE || one.call_count == RETURNS_MAX)
            return err_set(err, "who uses what %s returns is not known",
                           node_of(u, function.node)->name);
        memmove(one.calls + 1, one.calls, one.call_count * sizeof *one.calls);
        one.calls[0] = s;
        one.call_count++;
        stack.depth -= stack.depth > 0;
    }
}

/* By the source, or by what was seen. */
static bool is_read_locked(struct codebase *code, const struct cause_step *step,
                           const struct lock_choice *lock)
{
    if (is_site_held(code, &step->site, lock))
        return true;
    for (uint32_t i = 0; i < lock->guard->uses.len; i++) {
        const struct guard_use *use = &lock->guard->uses.at[i];
        if (use->guarded && use->site.line == step->site.line &&
            use->site.column == step->site.column &&
            strcmp(use->site.file, step->site.file) == 0)
            return true;
    }
    return false;
}

static int cover_decision(struct sections *p, const struct cause *c,
                          const struct lock_choice *lock, struct err *err)
{
    for (uint32_t i = 0; i < c->step_count; i++) {
        if (c->steps[i].action != CAUSE_READ)
            continue;
        if (!lock->guard || !is_read_locked(p->code, &c->steps[i], lock))
            return err_set(err, "the value is read under no lock");
        return widen_step(p, &c->steps[i], err);
    }
    return err_set(err, "nothing is read");
}

static void widen_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind == CAUSE_PATTERN && c->step_count <= 3)
        sections_try(code, cause, "widen", cover_decision,
                     "the lock is kept until what was read has been acted upon", out);
}

const struct recipe recipe_widen = {
    .name = "widen",
    .help = "a section as long as what was read in it is used",
    .make = widen_make,
};
