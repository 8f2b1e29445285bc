/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-whole: in every function that accesses the variables, one section from the first
 * access to the last. Longer sections than recipe-section's, for bugs of more steps than a
 * pattern shows. */
#include "fix/recipe.h"

static int cover_functions(struct sections *p, const struct cause *c,
                           const struct lock_choice *lock, struct err *err)
{
    if (is_only_gate(p->code, c, lock))
        return err_set(err, "every access is guarded already");
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct guard *g = codebase_guard(p->code, c->variables[i]);
        if (!g)
            return err_set(err, "nothing is known of the accesses of %s", c->variables[i]);
        if (sections_whole(p, g, g, err) < 0 || sections_unrun(p, g->variable, lock, err) < 0)
            return -1;
    }
    return 0;
}

static void whole_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    if (code->causes->causes.at[cause].kind == CAUSE_PATTERN)
        sections_try(code, cause, "whole", cover_functions,
                     "each function's accesses become one section of the lock", out);
}

const struct recipe recipe_whole = {
    .name = "whole",
    .help = "all accesses of a function in one section",
    .make = whole_make,
};
