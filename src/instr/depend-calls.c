/* SPDX-License-Identifier: Apache-2.0
 *
 * depend-calls: dependences across the functions of one unit. What depends on the result of a
 * call depends on what that function read for it; taking a lock in a function depends on what
 * its callers looked at before they called it. Only what a person means is at stake here (a
 * check and the act that relies on it), so some may be missed: calls through pointers, results
 * through memory, other units. */
#include "instr/pass.h"

#include <stdlib.h>

enum {
    ROUNDS_MAX = 8,  /* calls in calls that are followed */
    CALLERS_MAX = 4, /* of a function that is called from many places nobody knows why */
};

typedef VEC(uint32_t) site_list;

struct calls {
    struct pass *p;
    struct map index;          /* function -> its number */
    site_list *result, *entry; /* by function: the reads that they depend on */
    uint32_t *callers;         /* by function: call sites */
};

static bool list_add(site_list *list, uint32_t site)
{
    if (list->len >= DEPENDS_KEPT)
        return false;
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i] == site)
            return false;
    vec_push(list, site);
    return true;
}

static bool list_join(site_list *list, const site_list *more)
{
    bool grew = false;
    for (uint32_t i = 0; i < more->len; i++)
        grew |= list_add(list, more->at[i]);
    return grew;
}

/* Adds to list what x says that it depends on. */
static bool add_found(const struct calls *c, const struct across *x, site_list *list)
{
    if (x->site != NONE)
        return list_add(list, x->site);
    uint32_t callee = map_find(&c->index, key_of(x->callee));
    return callee != NONE && list_join(list, &c->result[callee]);
}

static bool add_all(const struct calls *c, unsigned what, site_list *lists)
{
    bool grew = false;
    for (uint32_t i = 0; i < c->p->across.len; i++) {
        const struct across *x = &c->p->across.at[i];
        uint32_t of = x->what == what ? map_find(&c->index, key_of(x->of)) : NONE;
        if (of != NONE)
            grew |= add_found(c, x, &lists[of]);
    }
    return grew;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A site's list is written anew behind all others. */
static void extend_site(struct pass *p, uint32_t site, const site_list *more)
{
    struct site *s = &p->sites.at[site];
    site_list all = {0};
    for (uint32_t i = 0; i < s->depends_count; i++)
        list_add(&all, p->depends.at[s->depends_at + i]);
    if (list_join(&all, more)) {
        qsort(all.at, all.len, sizeof *all.at, compare_u32);
        s->depends_at = p->depends.len;
        s->depends_count = all.len;
        for (uint32_t i = 0; i < all.len; i++)
            vec_push(&p->depends, all.at[i]);
    }
    vec_done(&all);
}

static void extend_users(const struct calls *c)
{
    for (uint32_t i = 0; i < c->p->across.len; i++) {
        const struct across *x = &c->p->across.at[i];
        uint32_t callee = x->callee ? map_find(&c->index, key_of(x->callee)) : NONE;
        if (x->what == ACROSS_SITE && callee != NONE)
            extend_site(c->p, x->user, &c->result[callee]);
    }
}

/* Locks that a function takes are taken because it was called. */
static void extend_locks(const struct calls *c)
{
    struct pass *p = c->p;
    for (uint32_t f = 0; f < p->funcs.len; f++)
        for (uint32_t i = p->funcs.at[f].first; c->entry[f].len && i < p->funcs.at[f].end; i++)
            if (p->ops.at[i].kind == OP_CALL && p->ops.at[i].is_sync &&
                c->callers[f] <= CALLERS_MAX)
                extend_site(p, i, &c->entry[f]);
}

static void count_callers(const struct calls *c)
{
    struct pass *p = c->p;
    for (uint32_t f = 0; f < p->funcs.len; f++)
        for (LLVMUseRef u = LLVMGetFirstUse(p->funcs.at[f].fn); u; u = LLVMGetNextUse(u))
            c->callers[f]++;
}

void depend_calls(struct pass *p)
{
    struct calls c = {.p = p};
    uint32_t count = p->funcs.len + 1;
    c.result = mem_zeroed(count, sizeof *c.result);
    c.entry = mem_zeroed(count, sizeof *c.entry);
    c.callers = mem_zeroed(count, sizeof *c.callers);
    for (uint32_t f = 0; f < p->funcs.len; f++)
        *map_at(&c.index, key_of(p->funcs.at[f].fn)) = f;
    count_callers(&c);
    for (int round = 0; round < ROUNDS_MAX && add_all(&c, ACROSS_RESULT, c.result); round++)
        continue;
    add_all(&c, ACROSS_ENTRY, c.entry);
    extend_users(&c);
    extend_locks(&c);
    for (uint32_t f = 0; f < p->funcs.len; f++) {
        vec_done(&c.result[f]);
        vec_done(&c.entry[f]);
    }
    free(c.result);
    free(c.entry);
    free(c.callers);
    map_done(&c.index);
}
