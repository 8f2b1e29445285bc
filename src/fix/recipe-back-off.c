/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-back-off: the last resort for locks in a circle: a thread that cannot have the second
 * lock at once gives the first one back and begins anew:
 *     for (;;) { lock(a); if (trylock(b) == 0) break; unlock(a); sched_yield(); }
 * The second lock is taken where the first one is, so that nothing is done in between. */
#include "fix/recipe.h"

#include <string.h>

/* The argument that the lock is taken by: "&a->lock". */
static const char *address(struct codebase *code, const char *expression)
{
    return expression[0] == '*' ? expression + 1 : keep_text(code, "&%s", expression);
}

/* The statement that takes the lock of the step; NONE: it is not understood. */
static node_id taking_at(struct codebase *code, const struct cause_step *s, uint32_t *unit,
                         struct lock_use *lock)
{
    struct node_ref at = codebase_find(code, &s->site);
    struct unit *u = at.node == NONE ? NULL : codebase_unit(code, at.unit);
    node_id statement = u ? node_statement(u, at.node) : NONE;
    *unit = at.unit;
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        lock->expression = call_lock(u, n, &lock->sort);
        if (lock->expression)
            return lock_step(u, statement, lock->expression) > 0 ? statement : NONE;
    }
    return NONE;
}

static int make_back_off(struct codebase *code, const struct cause_step *held,
                         const struct cause_step *wanted, struct patch *out, struct err *err)
{
    struct lock_use a, b;
    uint32_t unit, other;
    node_id first = taking_at(code, held, &unit, &a),
            second = taking_at(code, wanted, &other, &b);
    struct unit *u = first == NONE ? NULL : codebase_unit(code, unit);
    if (first == NONE || second == NONE || unit != other ||
        node_of(u, first)->parent != node_of(u, second)->parent)
        return err_set(err, "the two locks are not taken in one block");
    if (a.sort != LOCK_PTHREAD || b.sort != LOCK_PTHREAD || is_body(u, first))
        return err_set(err, "the locks are no mutexes");
    const char *text = keep_text(code,
                                 "for (;;) {\n\tpthread_mutex_lock(%s);\n"
                                 "\tif (pthread_mutex_trylock(%s) == 0)\n\t\tbreak;\n"
                                 "\tpthread_mutex_unlock(%s);\n\tsched_yield();\n}",
                                 address(code, a.expression), address(code, b.expression),
                                 address(code, a.expression));
    replace_statement(u, first, code_lines(u, first, text), out);
    remove_statement(u, second, out);
    include_header(u, node_of(u, first)->file, "sched.h", out);
    return 0;
}

static void back_off_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct err err;
    if (c->kind != CAUSE_DEADLOCK)
        return;
    for (uint32_t i = 0; i + 1 < c->step_count; i += 2) {
        struct fix_candidate *one = candidate_new(out, "back off", cause);
        if (make_back_off(code, &c->steps[i], &c->steps[i + 1], &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "a thread that cannot have the second lock gives the first one back");
        one->trade = "no new lock; a thread may have to try several times";
    }
}

const struct recipe recipe_back_off = {
    .name = "back off",
    .help = "try the second lock, or start again",
    .make = back_off_make,
    .turn = TURN_LAST,
};
