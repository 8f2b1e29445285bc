/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-unlock: a function takes a lock, gives it back at its end, and forgets that on another
 * way out: whoever wants the lock next waits for ever. No circle of locks and no access shows
 * that, the source does. */
#include "fix/recipe.h"

/* The last statement of the block that gives back what this one takes; NONE: none does. */
static node_id find_unlock(const struct unit *u, node_id taken, const char *lock)
{
    node_id found = NONE;
    for (node_id s = node_of(u, taken)->next; s != NONE; s = node_of(u, s)->next)
        if (lock_step(u, statement_core(u, s), lock) < 0)
            found = s;
    return found;
}

/* Does it leave the block, by return or out of a loop that the block is in? */
static bool leaves_block(const struct unit *u, node_id n, node_id block)
{
    enum node_kind kind = node_of(u, n)->kind;
    if (kind == NODE_RETURN)
        return true;
    if (kind != NODE_BREAK && kind != NODE_CONTINUE)
        return false;
    for (node_id up = node_of(u, n)->parent; up != NONE && up != block;
         up = node_of(u, up)->parent) {
        enum node_kind around = node_of(u, up)->kind;
        bool is_loop = around == NODE_WHILE || around == NODE_FOR || around == NODE_DO;
        if (is_loop || (kind == NODE_BREAK && around == NODE_SWITCH))
            return false;
    }
    return true;
}

/* Unlocks before every way out of the section that is reached with the lock. */
static int mend_section(struct codebase *code, uint32_t unit, node_id taken,
                        const struct lock_use *lock, uint32_t *count, struct patch *out,
                        struct err *err)
{
    struct unit *u = codebase_unit(code, unit);
    node_id end = find_unlock(u, taken, lock->expression);
    for (node_id s = end == NONE ? NONE : node_of(u, taken)->next; s != NONE && s != end;
         s = node_of(u, s)->next)
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            if (!leaves_block(u, n, node_of(u, taken)->parent) ||
                node_function(u, n) != node_function(u, taken) || /* a lambda's */
                !is_held(code, (struct node_ref){unit, n}, lock->expression))
                continue;
            if (section_leave(u, n, lock, out, err) < 0)
                return -1;
            ++*count;
        }
    return 0;
}

static int mend_unit(struct codebase *code, uint32_t unit, uint32_t *count, struct patch *out,
                     struct err *err)
{
    struct unit *u = codebase_unit(code, unit);
    for (node_id n = 1; u && n < u->nodes.len; n++) {
        struct lock_use lock;
        node_id function = node_function(u, n);
        lock.expression = call_lock(u, n, &lock.sort);
        if (!lock.expression || function == NONE || node_statement(u, n) != n ||
            is_body(u, n) || !has_run(code, node_of(u, function)->name))
            continue;
        if (mend_section(code, unit, n, &lock, count, out, err) < 0)
            return -1;
    }
    if (u)
        unit_flush(u, out);
    return 0;
}

bool is_failure_stuck(const struct codebase *code, const struct cause *c)
{
    return c->failure < code->causes->failures.len &&
           code->causes->failures.at[c->failure].outcome == WORD_VALUE(OUTCOME, DEADLOCK);
}

static void unlock_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct err err;
    uint32_t count = 0;
    int failed = 0;
    if (!is_failure_stuck(code, c))
        return;
    struct fix_candidate *one = candidate_new(out, "unlock", cause);
    for (uint32_t i = 0; i < code->units.len && !failed; i++)
        failed = mend_unit(code, i, &count, &one->patch, &err);
    for (uint32_t i = 0; i < code->units.len && failed; i++)
        if (codebase_unit(code, i))
            codebase_unit(code, i)->inserts.len = 0;
    if (!failed && !count)
        failed = err_set(&err, "every way out gives back what was taken");
    if (failed) {
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL, "a way out kept the lock: it is given back there, too");
    one->trade = "no new lock, nothing is held longer";
    one->shows_in_locks = true;
}

const struct recipe recipe_unlock = {
    .name = "unlock",
    .help = "a lock is given back on every way out",
    .make = unlock_make,
    .turn = TURN_FIRST,
};
