/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-guard: accesses of one variable without a common lock (patterns 1 to 3): each
 * statement becomes a section of the variable's lock, or of a new one, and so does every other
 * statement that accesses it while other threads may. */
#include "fix/recipe.h"

static int cover_each(struct sections *p, const struct cause *c, const struct lock_choice *lock,
                      struct err *err)
{
    if (is_only_gate(p->code, c, lock))
        return err_set(err, "every access is guarded already");
    for (uint32_t i = 0; i < c->step_count; i++)
        if (!codebase_is_alone(p->code, &c->steps[i].site) &&
            !is_site_held(p->code, &c->steps[i].site, lock) &&
            sections_cover(p, &c->steps[i], &c->steps[i], err) < 0)
            return -1;
    return sections_propagate_all(p, c, lock, err);
}

static void guard_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    if (code->causes->causes.at[cause].kind == CAUSE_PATTERN)
        sections_try(code, cause, "guard", cover_each,
                     "each access becomes a section of the lock", out);
}

const struct recipe recipe_guard = {
    .name = "guard",
    .help = "each access in a section of one lock",
    .make = guard_make,
};
