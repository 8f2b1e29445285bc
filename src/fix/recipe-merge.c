/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-merge: a function takes the same lock twice. What it learnt in the first section need
 * not be true in the second; the accesses that show it may be in a library, where no cause can
 * point at them. All its sections of the lock become one. */
#include "fix/recipe.h"

/* From the first section of the lock in the function to the last. */
static int merge_in(struct sections *p, struct node_ref s, const char *lock, struct err *err)
{
    const struct unit *u = codebase_unit(p->code, s.unit);
    node_id function = node_function(u, s.node), first = NONE, last = NONE;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        if (node_statement(u, n) != n || lock_step(u, n, lock) <= 0)
            continue;
        first = first == NONE ? n : first;
        last = n;
    }
    if (first == last)
        return err_set(err, "no function takes the lock twice");
    struct section_range one = {.unit = s.unit, .access = NONE, .lock = lock};
    if (range_of(u, first, last, &one.r, err) < 0)
        return -1;
    sections_add(p, one);
    return 0;
}

static int cover_sections(struct sections *p, const struct cause *c,
                          const struct lock_choice *lock, struct err *err)
{
    if (!lock->guard && !lock->is_there)
        return err_set(err, "a new lock has no sections");
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct node_ref s = codebase_find(p->code, &c->steps[i].site);
        if (s.node == NONE)
            continue;
        const char *text = lock_spell(p->code, lock, s.unit,
                                      codebase_access(p->code, s, c->steps[i].site.name), err);
        if (text && merge_in(p, s, text, err) == 0)
            return 0;
    }
    return err_set(err, "no function takes the lock twice");
}

static void merge_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    if (code->causes->causes.at[cause].kind == CAUSE_PATTERN)
        sections_try(code, cause, "merge", cover_sections,
                     "the function's sections of the lock become one", out);
}

const struct recipe recipe_merge = {
    .name = "merge",
    .help = "sections of one lock in a function become one",
    .make = merge_make,
};
