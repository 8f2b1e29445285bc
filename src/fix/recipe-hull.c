/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-hull: in every function that accesses the variables, one section from the first
 * access to the last. Longer sections than recipe-section's, for bugs of more steps than a
 * pattern shows. */
#include "fix/recipe.h"

static void hull_make(struct yard *y, uint32_t cause, struct fix_repair *out)
{
    const struct fix_cause *c = &y->causes->causes.at[cause];
    lock_choices locks = {0};
    if (c->kind != FIX_PATTERN)
        return;
    locks_list(y, c, &locks);
    for (uint32_t i = 0; i < locks.len; i++) {
        struct fix_candidate *one = candidate_new(out, "whole", cause);
        struct sections plan = {.y = y};
        struct err err;
        int failed = 0;
        for (uint32_t k = 0; k < c->variable_count && !failed; k++)
            failed = sections_hull(&plan, c->variables[k], &err);
        if (!failed)
            failed = sections_make(&plan, &locks.at[i], &one->patch, &err);
        sections_done(&plan);
        if (failed)
            candidate_drop(out, y, &err);
        else
            candidate_explain(one, y, &locks.at[i],
                              "each function's accesses become one section of the lock");
    }
    vec_done(&locks);
}

const struct recipe recipe_hull = {
    .name = "whole",
    .help = "all accesses of a function in one section",
    .make = hull_make,
};
