/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-join: a creator that needs what its threads do waits for their ends: each is joined
 * right behind its creation, and the join further down goes. The last resort, since nothing
 * runs at the same time any more. */
#include "fix/recipe.h"

#include <string.h>

static const char *thread_function(const struct cause_step *s)
{
    return s->stack.depth ? s->stack.frames[0].function : s->site.function;
}

/* Joined where it is created. */
static int join_at_create(struct codebase *code, uint32_t unit, node_id create,
                          struct patch *out, struct err *err)
{
    struct unit *u = codebase_unit(code, unit);
    struct text name = thread_variable(u, create);
    node_id first = node_of(u, node_of(u, create)->first)->next;
    struct text thread = node_text(u, first);
    node_id join = name.len ? find_join(u, name) : NONE;
    node_id statement = node_statement(u, create);
    if (join == NONE || statement == NONE || thread.len < 2 || thread.at[0] != '&')
        return err_set(err, "the one place where the threads are joined was not found");
    node_id goes = join_statement(u, join);
    if (goes == NONE || node_is_in(u, create, goes))
        return err_set(err, "the threads are created where they are joined");
    unit_insert(
        u, statement, INSERT_CLOSE,
        keep_text(code, "pthread_join(%.*s, NULL);", (int)thread.len - 1, thread.at + 1));
    remove_statement(u, goes, out);
    drop_unused(u, goes, out);
    unit_flush(u, out);
    return 0;
}

/* The node in the creator's function that leads to the step; NONE: it is not its doing. */
static node_id node_in_creator(struct codebase *code, uint32_t unit, node_id function,
                               const struct cause_step *step)
{
    const struct unit *u = codebase_unit(code, unit);
    const char *name = node_of(u, function)->name;
    struct node_ref s = codebase_find(code, &step->site);
    if (s.node != NONE && s.unit == unit && node_is_in(u, s.node, function))
        return s.node;
    for (uint32_t i = 0; i + 1 < step->stack.depth; i++) {
        const char *next = step->stack.frames[i + 1].function;
        if (!is_function(step->stack.frames[i].function, name))
            continue;
        node_id last = NONE;
        for (node_id n = function; n != NONE; n = node_walk(u, function, n))
            last = is_call_of(u, n, next) ? n : last;
        return last;
    }
    return NONE;
}

/* Does the creator itself make one of the steps while the thread may run? */
static bool is_creators_step(struct codebase *code, const struct cause *c, uint32_t unit,
                             node_id create)
{
    const struct unit *u = codebase_unit(code, unit);
    node_id loop = loop_around(u, create);
    for (uint32_t i = 0; i < c->step_count; i++) {
        node_id n = node_in_creator(code, unit, node_function(u, create), &c->steps[i]);
        if (n != NONE && (node_of(u, n)->start > node_of(u, create)->end ||
                          (loop != NONE && node_is_in(u, n, loop))))
            return true;
    }
    return false;
}

static void join_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct err err;
    if (c->kind != CAUSE_PATTERN)
        return;
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        node_id create = u ? find_create(u, thread_function(&c->steps[i]), 0) : NONE;
        if (create == NONE || !is_creators_step(code, c, s.unit, create))
            continue;
        struct fix_candidate *one = candidate_new(out, "join", cause);
        if (join_at_create(code, s.unit, create, &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "each thread is waited for before the next one begins");
        one->trade = "it runs them one after the other";
        return;
    }
}

const struct recipe recipe_join = {
    .name = "join",
    .help = "a thread is waited for where it is created",
    .make = join_make,
    .turn = TURN_LAST,
};
