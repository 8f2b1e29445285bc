/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-section: accesses of one thread that belong together (patterns 4 to 17): all steps of
 * a thread become one section of the variables' lock, or of a new one; the other thread's are
 * guarded by the same lock, and so is every other access of the variables. Two sections of one
 * lock become one. */
#include "fix/recipe.h"

/* First and last step of a thread. */
static void ends_of(const struct cause *c, uint32_t thread, const struct cause_step **first,
                    const struct cause_step **last)
{
    *first = *last = NULL;
    for (uint32_t i = 0; i < c->step_count; i++)
        if (c->steps[i].thread == thread) {
            *first = *first ? *first : &c->steps[i];
            *last = &c->steps[i];
        }
}

int cover_threads(struct sections *p, const struct cause *c, struct err *err)
{
    for (uint32_t thread = 0; thread < 2; thread++) {
        const struct cause_step *first, *last;
        ends_of(c, thread, &first, &last);
        if (first && sections_cover(p, first, last, err) < 0)
            return -1;
        if (first)
            sections_alike(p, first, last);
    }
    return 0;
}

static int cover_all(struct sections *p, const struct cause *c, const struct lock_choice *lock,
                     struct err *err)
{
    if (is_only_gate(p->code, c, lock))
        return err_set(err, "every access has a lock: another one would be a gate");
    return cover_threads(p, c, err) < 0 ? -1 : sections_propagate_all(p, c, lock, err);
}

static void section_recipe(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind == CAUSE_PATTERN && c->step_count >= 3)
        sections_try(code, cause, "section", cover_all,
                     "what belongs together becomes one section of the lock", out);
}

const struct recipe recipe_section = {
    .name = "section",
    .help = "accesses that belong together in one section",
    .make = section_recipe,
};
