/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-release: somebody waits for the end of a thread and holds a lock that the thread needs
 * to come to its end. The lock is given back for the time of the join. */
#include "fix/recipe.h"

#include "trace/trace.h"

/* A lock that is held at the statement, by what stands before it in the blocks around it. */
static struct lock_use lock_at(struct codebase *code, uint32_t unit, node_id statement)
{
    struct unit *u = codebase_unit(code, unit);
    for (node_id at = statement; at != NONE; at = statement_above(u, at))
        for (node_id s = node_of(u, node_of(u, at)->parent)->first; s != NONE && s != at;
             s = node_of(u, s)->next) {
            struct lock_use lock = {.sort = LOCK_PTHREAD};
            lock.expression = call_lock(u, s, &lock.sort);
            if (lock.expression &&
                is_held(code, (struct node_ref){unit, statement}, lock.expression))
                return lock;
        }
    return (struct lock_use){0};
}

/* `unlock; join; lock;`, and if the lock is given back right behind it, `unlock; join;`. */
static bool release_at(struct codebase *code, uint32_t unit, node_id join, struct patch *out)
{
    struct unit *u = codebase_unit(code, unit);
    node_id call = node_statement(u, join),
            statement = call == NONE ? NONE : join_statement(u, join);
    struct lock_use lock = {0};
    if (statement != NONE)
        lock = lock_at(code, unit, statement);
    if (!lock.expression || lock.sort == LOCK_CXX)
        return false;
    node_id next = node_of(u, statement)->next;
    unit_insert(u, statement, INSERT_OPEN, lock_call(u, statement, &lock, false));
    if (!is_body(u, statement) && next != NONE && lock_step(u, next, lock.expression) < 0)
        remove_statement(u, next, out);
    else
        unit_insert(u, statement, INSERT_CLOSE, lock_call(u, statement, &lock, true));
    unit_flush(u, out);
    return true;
}

static void release_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->failure >= code->causes->failures.len ||
        code->causes->failures.at[c->failure].outcome != WORD_VALUE(OUTCOME, DEADLOCK))
        return;
    struct fix_candidate *one = candidate_new(out, "release", cause);
    struct err err;
    bool is_made = false;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++)
            if (is_call_of(u, n, "pthread_join"))
                is_made |= release_at(code, i, n, &one->patch);
    }
    if (!is_made) {
        err_set(&err, "no thread is joined under a lock");
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(
        one, code, NULL,
        "whoever waits for the end of a thread gives back the lock that the thread "
        "may need for that");
    one->trade = "no new lock; what the lock guards may change during the join";
}

const struct recipe recipe_release = {
    .name = "release",
    .help = "no lock is held while a thread is joined",
    .make = release_make,
    .turn = TURN_FIRST,
};
