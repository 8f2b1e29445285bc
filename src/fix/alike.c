/* SPDX-License-Identifier: Apache-2.0
 *
 * alike: two functions whose calls belong together in one place belong together in others:
 *     if (queue_size(q) > 0)
 *         item = queue_pop(q);
 * A failing run shows one such place; the others that ran are as wrong. */
#include "fix/recipe.h"

enum { APART_MAX = 4 }; /* statements from one call to the other */

static struct spot function_of(struct yard *y, const struct fix_site *site, struct spot *at)
{
    *at = yard_find(y, site);
    const struct unit *u = at->node == NONE ? NULL : yard_unit(y, at->unit);
    return (struct spot){at->unit, u ? node_function(u, at->node) : NONE};
}

static bool is_call_to(struct yard *y, struct spot call, struct spot function)
{
    const struct unit *u = yard_unit(y, call.unit);
    if (node_of(u, call.node)->kind != NODE_CALL)
        return false;
    struct spot target = call_target(y, call);
    return target.unit == function.unit && target.node == function.node;
}

static bool is_near(const struct unit *u, struct range r)
{
    uint32_t count = 1;
    for (node_id s = r.first; s != r.last; s = node_of(u, s)->next)
        count++;
    return count <= APART_MAX;
}

/* Both by calls that stand near each other in this function. */
static void add_pairs(struct sections *p, struct spot in, struct spot first, struct spot last,
                      struct spot access, const char *name)
{
    const struct unit *u = yard_unit(p->y, in.unit);
    node_id begun = NONE;
    for (node_id n = in.node; n != NONE; n = node_walk(u, in.node, n)) {
        struct spot call = {in.unit, n};
        struct section_range one = {.unit = in.unit,
                                    .access = spot_access(p->y, access, name),
                                    .access_unit = access.unit,
                                    .call_count = 1};
        struct err ignored;
        if (begun != NONE && is_call_to(p->y, call, last)) {
            one.calls[0] = (struct spot){in.unit, begun};
            if (range_of(u, begun, n, &one.r, &ignored) == 0 && is_near(u, one.r))
                sections_add(p, one);
            begun = NONE;
        }
        if (is_call_to(p->y, call, first))
            begun = n;
    }
}

void sections_alike(struct sections *p, const struct fix_step *a, const struct fix_step *b)
{
    struct spot x, z;
    struct spot first = function_of(p->y, &a->site, &x);
    struct spot last = function_of(p->y, &b->site, &z);
    if (first.node == NONE || last.node == NONE ||
        (first.unit == last.unit && first.node == last.node))
        return;
    for (uint32_t i = 0; i < p->y->units.len; i++) {
        const struct unit *u = yard_unit(p->y, i);
        for (node_id f = 1; u && f < u->nodes.len; f++)
            if (node_of(u, f)->kind == NODE_FUNCTION &&
                (p->y->with_unrun || has_run(p->y, node_of(u, f)->name)))
                add_pairs(p, (struct spot){i, f}, first, last, x, a->site.name);
    }
}
