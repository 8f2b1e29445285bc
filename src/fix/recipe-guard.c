/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-guard: accesses of one variable without a common lock (patterns 1 to 3): each
 * statement becomes a section of the variable's lock, or of a new one, and so does every other
 * statement that accesses it while other threads may. */
#include "fix/recipe.h"

static void guard_make(struct yard *y, uint32_t cause, struct fix_repair *out)
{
    const struct fix_cause *c = &y->causes->causes.at[cause];
    lock_choices locks = {0};
    if (c->kind != FIX_PATTERN)
        return;
    locks_list(y, c, &locks);
    for (uint32_t i = 0; i < locks.len; i++) {
        struct fix_candidate *one = candidate_new(out, "guard", cause);
        struct sections plan = {.y = y};
        struct err err;
        int failed = 0;
        for (uint32_t k = 0; k < c->step_count && !failed; k++)
            if (!yard_is_alone(y, &c->steps[k].site))
                failed = sections_cover(&plan, &c->steps[k], &c->steps[k], &err);
        for (uint32_t k = 0; k < c->variable_count && !failed; k++)
            failed = sections_propagate(&plan, c->variables[k], &locks.at[i], &err);
        if (!failed)
            failed = sections_make(&plan, &locks.at[i], &one->patch, &err);
        sections_done(&plan);
        if (failed)
            candidate_drop(out, y, &err);
        else
            candidate_explain(one, y, &locks.at[i],
                              "each access becomes a section of the lock");
    }
    vec_done(&locks);
}

const struct recipe recipe_guard = {
    .name = "guard",
    .help = "each access in a section of one lock",
    .make = guard_make,
};
