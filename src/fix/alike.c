/* SPDX-License-Identifier: Apache-2.0
 *
 * alike: two functions whose calls belong together in one place belong together in others:
 *     if (queue_size(q) > 0)
 *         item = queue_pop(q);
 * A failing run shows one such place; the others that ran are as wrong. */
#include "fix/recipe.h"

enum { APART_MAX = 4 }; /* statements from one call to the other */

static struct node_ref function_of(struct codebase *code, const struct code_site *site,
                                   struct node_ref *at)
{
    *at = codebase_find(code, site);
    const struct unit *u = at->node == NONE ? NULL : codebase_unit(code, at->unit);
    return (struct node_ref){at->unit, u ? node_function(u, at->node) : NONE};
}

static bool is_call_to(struct codebase *code, struct node_ref call, struct node_ref function)
{
    const struct unit *u = codebase_unit(code, call.unit);
    if (node_of(u, call.node)->kind != NODE_CALL)
        return false;
    struct node_ref target = call_target(code, call);
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
static void add_pairs(struct sections *p, struct node_ref in, struct node_ref first,
                      struct node_ref last, struct node_ref access, const char *name)
{
    const struct unit *u = codebase_unit(p->code, in.unit);
    node_id begun = NONE;
    for (node_id n = in.node; n != NONE; n = node_walk(u, in.node, n)) {
        struct node_ref call = {in.unit, n};
        struct section_range one = {.unit = in.unit,
                                    .access = codebase_access(p->code, access, name),
                                    .access_unit = access.unit,
                                    .call_count = 1};
        struct err ignored;
        if (begun != NONE && is_call_to(p->code, call, last)) {
            one.calls[0] = (struct node_ref){in.unit, begun};
            if (!is_behind_joins(u, begun) && range_of(u, begun, n, &one.r, &ignored) == 0 &&
                is_near(u, one.r))
                sections_add(p, one);
            begun = NONE;
        }
        if (is_call_to(p->code, call, first))
            begun = n;
    }
}

void sections_alike(struct sections *p, const struct cause_step *a, const struct cause_step *b)
{
    struct node_ref x, z;
    struct node_ref first = function_of(p->code, &a->site, &x);
    struct node_ref last = function_of(p->code, &b->site, &z);
    if (first.node == NONE || last.node == NONE ||
        (first.unit == last.unit && first.node == last.node))
        return;
    for (uint32_t i = 0; i < p->code->units.len; i++) {
        const struct unit *u = codebase_unit(p->code, i);
        for (node_id f = 1; u && f < u->nodes.len; f++)
            if (node_of(u, f)->kind == NODE_FUNCTION &&
                (p->code->with_unrun || has_run(p->code, node_of(u, f)->name)))
                add_pairs(p, (struct node_ref){i, f}, first, last, x, a->site.name);
    }
}
