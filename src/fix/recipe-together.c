/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-together: what belongs together has one lock. A cause names the one or two variables
 * that a failing run happened to show; `state` says whether `buffer` may be used, and `next`
 * goes with `left`. In every function all of them become one section: those that the lock
 * guards elsewhere, and those of the same object, or of the same functions, that have none. */
#include "fix/recipe.h"

#include <string.h>

enum { TOGETHER_MAX = 16 };

typedef VEC(const struct guard *) guard_list;

/* Do threads meet at it, one of which changes it? */
static bool is_contended(const struct codebase *code, const struct guard *g)
{
    for (uint32_t i = 0; i < g->uses.len; i++)
        if (g->uses.at[i].writes && !codebase_is_alone(code, &g->uses.at[i].site))
            return true;
    return false;
}

static bool is_in_function(const struct codebase *code, const struct guard *g,
                           const char *function)
{
    for (uint32_t i = 0; i < g->uses.len; i++)
        if (!codebase_is_alone(code, &g->uses.at[i].site) &&
            strcmp(g->uses.at[i].site.function, function) == 0)
            return true;
    return false;
}

/* Is one of them accessed nowhere but where the other is? */
static bool is_used_with(const struct codebase *code, const struct guard *g,
                         const struct guard *other)
{
    for (uint32_t i = 0; i < g->uses.len; i++)
        if (!codebase_is_alone(code, &g->uses.at[i].site) &&
            !is_in_function(code, other, g->uses.at[i].site.function))
            return false;
    return true;
}

static bool is_companion(const struct codebase *code, const struct guard *g,
                         const struct guard *other, const struct lock_choice *lock)
{
    if (lock->guard && other->bond == lock->guard->bond &&
        strcmp(other->lock, lock->guard->lock) == 0)
        return is_contended(code, other);
    bool is_library = g->field[0] == '_' && other->field[0] == '_'; /* changes may be unseen */
    if (other->bond != GUARD_BOND_NONE || (!is_library && !is_contended(code, other)))
        return false;
    if (*g->field || *other->field)
        return *g->field && *other->field && strcmp(g->object, other->object) == 0;
    return !g->is_heap && !g->is_stack && !other->is_heap && !other->is_stack &&
           is_used_with(code, g, other) && is_used_with(code, other, g);
}

static void list_companions(struct codebase *code, const struct cause *c,
                            const struct lock_choice *lock, guard_list *out)
{
    for (uint32_t i = 0; i < code->guards->guards.len && out->len < TOGETHER_MAX; i++) {
        const struct guard *other = &code->guards->guards.at[i];
        bool is_meant = false;
        for (uint32_t v = 0; v < c->variable_count; v++) {
            const struct guard *g = codebase_guard(code, c->variables[v]);
            is_meant |= g && (g == other || is_companion(code, g, other, lock));
        }
        if (is_meant)
            vec_push(out, other);
    }
}

static int cover_together(struct sections *p, const struct cause *c,
                          const struct lock_choice *lock, struct err *err)
{
    guard_list list = {0};
    if (is_only_gate(p->code, c, lock))
        return err_set(err, "every access is guarded already");
    if (lock->guard) /* what is reached only by way of the others needs none */
        p->nameable = lock;
    list_companions(p->code, c, lock, &list);
    bool is_more = list.len > c->variable_count || (lock->guard && list.len > 1);
    int failed = is_more ? 0 : err_set(err, "nothing else goes with what failed");
    for (uint32_t i = 0; i < list.len && !failed; i++)
        for (uint32_t k = 0; k < list.len && !failed; k++)
            failed = sections_whole(p, list.at[i], list.at[k], err);
    for (uint32_t i = 0; i < list.len && !failed; i++)
        failed = sections_unrun(p, list.at[i]->variable, lock, err);
    vec_done(&list);
    return failed;
}

static void try_locks(struct codebase *code, uint32_t cause, bool is_new, const char *recipe,
                      struct fix_repair *out)
{
    lock_choices locks = {0};
    if (code->causes->causes.at[cause].kind != CAUSE_PATTERN)
        return;
    locks_list(code, &code->causes->causes.at[cause], &locks);
    for (uint32_t i = 0; i < locks.len; i++)
        if (!locks.at[i].guard == is_new)
            sections_try_lock(code, cause, recipe, cover_together, &locks.at[i],
                              "all that goes with it is one section of the lock in each "
                              "function",
                              out);
    vec_done(&locks);
}

/* Where no lock is known to guard: the one that the object has, or a new one, is for all. */
static void together_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    try_locks(code, cause, true, "together", out);
}

/* The lock that there is, for longer than a single access. */
static void object_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    try_locks(code, cause, false, "object", out);
}

const struct recipe recipe_together = {
    .name = "together",
    .help = "one lock for all variables that belong together",
    .make = together_make,
};

const struct recipe recipe_object = {
    .name = "object",
    .help = "all that a lock is for in one section of each function",
    .make = object_make,
};
