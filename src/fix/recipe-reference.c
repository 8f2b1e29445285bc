/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-reference: a pointer is taken from a shared place under a lock, and what it points to
 * is used when the lock has been given back: by then it may have been freed. The use that the
 * cause names, mostly the counting of a reference, goes into the section in which the pointer
 * was taken. */
#include "fix/recipe.h"

#include <string.h>

/* The pointer that the access goes through, if it is a local variable. */
static node_id pointer_of(const struct unit *u, node_id access)
{
    node_id base = access == NONE ? NONE : node_of(u, access)->first;
    while (base != NONE && node_of(u, base)->kind == NODE_OTHER)
        base = node_of(u, base)->first;
    node_id v =
        base == NONE || node_of(u, base)->kind != NODE_NAME ? NONE : node_of(u, base)->declared;
    return v != NONE && node_of(u, v)->kind == NODE_VARIABLE && !node_of(u, v)->is_global
               ? v
               : NONE;
}

/* The last statement before the access that gives the variable its value. */
static node_id taken_at(const struct unit *u, node_id variable, node_id access)
{
    node_id function = node_function(u, access), found = NONE;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        bool is_declared = n == variable && node->last != NONE;
        bool is_assigned = node->kind == NODE_NAME && node->declared == variable &&
                           node_of(u, node->parent)->kind == NODE_ASSIGN &&
                           node_of(u, node->parent)->first == n;
        if ((is_declared || is_assigned) && node->start < node_of(u, access)->start)
            found = node_statement(u, n);
    }
    return found;
}

/* The lock whose section the statement is in; expression NULL: none. */
static struct lock_use lock_around(struct unit *u, node_id statement)
{
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first;
         s != NONE && s != statement; s = node_of(u, s)->next)
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            struct lock_use lock = {.sort = LOCK_PTHREAD};
            struct range grown = {statement, statement};
            struct err ignored;
            lock.expression = call_lock(u, n, &lock.sort);
            if (lock.expression && section_fit(u, &lock, &grown, &ignored) == 0 &&
                grown.first == s)
                return lock;
        }
    return (struct lock_use){0};
}

static int make_reference(struct codebase *code, const struct cause_step *step,
                          struct patch *out, struct err *err)
{
    struct node_ref s = codebase_find(code, &step->site);
    struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    node_id access = u ? codebase_access(code, s, step->site.name) : NONE;
    node_id variable = u ? pointer_of(u, access) : NONE;
    node_id taken = variable == NONE ? NONE : taken_at(u, variable, access);
    struct lock_use lock = {0};
    if (taken != NONE)
        lock = lock_around(u, taken);
    if (!lock.expression)
        return err_set(err, "no pointer to it is taken under a lock");
    if (is_held(code, (struct node_ref){s.unit, access}, lock.expression))
        return err_set(err, "it is used under the lock already");
    struct lock_choice choice = {
        .sort = lock.sort, .text = lock.expression, .name = lock.expression};
    struct section_range one = {.unit = s.unit, .access = NONE, .lock = lock.expression};
    struct sections plan = {.code = code};
    int failed = range_of(u, taken, access, &one.r, err);
    if (!failed) {
        sections_add(&plan, one);
        failed = sections_make(&plan, &choice, out, err);
    }
    sections_done(&plan);
    return failed;
}

static void reference_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_PATTERN; i++) {
        struct fix_candidate *one = candidate_new(out, "reference", cause);
        struct err err;
        if (make_reference(code, &c->steps[i], &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "what the pointer leads to is used before the lock is given back "
                          "under which the pointer was taken");
        one->trade = "an existing lock is held a little longer";
    }
}

const struct recipe recipe_reference = {
    .name = "reference",
    .help = "a pointer is used under the lock it was taken under",
    .make = reference_make,
    .turn = TURN_FIRST,
};
