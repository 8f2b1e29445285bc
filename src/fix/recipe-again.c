/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-again: a function looks under a lock, gives it back, and takes it again to act, often
 * for writing then: somebody may have acted in between. It looks again when it has the lock. */
#include "fix/recipe.h"

#include <string.h>

/* lock; v = look(); unlock; if (v) return v; ... lock; act(); unlock; */
struct look {
    struct unit *u;
    node_id value;          /* v = look() */
    node_id leaves;         /* if (v) return v; */
    node_id retaken, given; /* the second time */
};

/* A statement that sets a variable, which is known by then. */
static node_id set_variable(const struct unit *u, node_id statement)
{
    const struct node *n = node_of(u, statement);
    node_id to = n->kind == NODE_ASSIGN ? n->first : NONE;
    return to != NONE && node_of(u, to)->kind == NODE_NAME ? node_of(u, to)->declared : NONE;
}

static bool names(const struct unit *u, node_id in, node_id variable)
{
    for (node_id n = in; n != NONE; n = node_walk(u, in, n))
        if (node_of(u, n)->declared == variable)
            return true;
    return false;
}

/* The return that an `if` without else is for; NONE. */
static node_id leaves_by(const struct unit *u, node_id statement)
{
    const struct node *n = node_of(u, statement);
    node_id body = n->kind == NODE_IF && n->first != NONE ? node_of(u, n->first)->next : NONE;
    if (body == NONE || node_of(u, body)->next != NONE)
        return NONE;
    const struct node *b = node_of(u, body);
    if (b->kind == NODE_COMPOUND)
        body = b->first == b->last ? b->first : NONE;
    return body != NONE && node_of(u, body)->kind == NODE_RETURN ? body : NONE;
}

/* From the statement that takes the lock on. */
static bool look_read(struct unit *u, node_id taken, struct look *out)
{
    enum lock_sort sort;
    const char *lock = call_lock(u, taken, &sort);
    node_id variable = NONE;
    *out = (struct look){u, NONE, NONE, NONE, NONE};
    bool is_held = true;
    for (node_id s = lock ? node_of(u, taken)->next : NONE; s != NONE;
         s = node_of(u, s)->next) {
        int step = lock_step(u, s, lock);
        if (is_held && out->value == NONE && set_variable(u, s) != NONE) {
            variable = set_variable(u, s);
            out->value = s;
        } else if (step < 0 && out->retaken != NONE) {
            out->given = s;
            return true;
        } else if (step != 0) {
            is_held = step > 0;
            if (step > 0 && out->leaves == NONE)
                return false;
            out->retaken = step > 0 ? s : out->retaken;
        } else if (!is_held && out->value != NONE && out->leaves == NONE) {
            bool is_test = leaves_by(u, s) != NONE && names(u, node_of(u, s)->first, variable);
            out->leaves = is_test ? s : NONE;
        }
        if (is_held && out->value == NONE)
            return false; /* it does not begin by looking */
    }
    return false;
}

static void look_again(struct codebase *code, const struct look *l, struct patch *out)
{
    struct unit *u = l->u;
    struct text value = node_text(u, l->value), given = node_text(u, l->given);
    struct text condition = node_text(u, node_of(u, l->leaves)->first);
    struct text leave = node_text(u, leaves_by(u, l->leaves));
    const char *text =
        keep_text(code, "%.*s;\nif (%.*s) {\n\t%.*s;\n\t%.*s;\n}", TEXT_ARG(value),
                  TEXT_ARG(condition), TEXT_ARG(given), TEXT_ARG(leave));
    unit_insert(u, l->retaken, INSERT_CLOSE, code_lines(u, l->retaken, text));
    unit_flush(u, out);
}

static bool again(struct codebase *code, struct node_ref s, struct patch *out)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        struct look l;
        if (node_statement(u, n) != n || !look_read(u, n, &l))
            continue;
        look_again(code, &l, out);
        return true;
    }
    return false;
}

static bool again_at(struct codebase *code, struct node_ref s, uint32_t cause,
                     struct fix_repair *out)
{
    struct fix_candidate *one = candidate_new(out, "again", cause);
    if (!again(code, s, &one->patch)) {
        candidate_free(one);
        out->candidates.len--;
        return false;
    }
    candidate_explain(one, code, NULL,
                      "what was seen before the lock was taken again is looked at once more");
    one->trade = "no new lock; one look more where something is missing";
    return true;
}

/* In the function of a step, or in one that called it. */
static void again_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, again_at);
}

const struct recipe recipe_again = {
    .name = "again",
    .help = "what was seen under a lock is looked at again when the lock is taken again",
    .make = again_make,
    .turn = TURN_FIRST,
};
