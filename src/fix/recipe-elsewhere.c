/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-elsewhere: a function is called under a lock at one place, and without it, or under
 * another one, at others: it is called under that lock there, too. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* The name that an expression begins with: "lru" of "lru->list". */
static struct text base_of(const char *expression)
{
    uint32_t len = 0;
    while (isalnum((unsigned char)expression[len]) || expression[len] == '_')
        len++;
    return (struct text){expression, len};
}

static struct text argument_of(const struct unit *u, node_id call, uint32_t index)
{
    node_id a = node_of(u, call)->first;
    for (uint32_t i = 0; a != NONE && i <= index; i++)
        a = node_of(u, a)->next;
    return a == NONE ? (struct text){0} : node_text(u, a);
}

/* What the lock of one call is called at the other one, which passes another object where the
 * first passes the lock's; NULL: it cannot be said. */
static const char *lock_at(struct codebase *code, struct node_ref from, const char *lock,
                           struct node_ref to)
{
    const struct unit *u = codebase_unit(code, from.unit), *v = codebase_unit(code, to.unit);
    struct text base = base_of(lock);
    for (uint32_t i = 0;; i++) {
        struct text a = argument_of(u, from.node, i), b = argument_of(v, to.node, i);
        if (!a.len || !b.len)
            break;
        if (text_is(a, base))
            return base_of(b.at).len >= b.len
                       ? keep_text(code, "%.*s%s", TEXT_ARG(b), lock + base.len)
                       : NULL;
    }
    for (node_id n = 1; n < u->nodes.len; n++) /* one for all: its name is its name */
        if (node_of(u, n)->kind == NODE_VARIABLE && node_of(u, n)->is_global &&
            text_is(text_of(node_of(u, n)->name), base))
            return from.unit == to.unit || !node_of(u, n)->is_static ? lock : NULL;
    return NULL;
}

/* A lock that is held at the call, in its own function; NULL. */
static const char *lock_held(struct codebase *code, struct node_ref call, uint32_t which,
                             enum lock_sort *sort)
{
    struct unit *u = codebase_unit(code, call.unit);
    node_id function = node_function(u, call.node);
    for (node_id n = function; n != NONE && n < call.node; n = node_walk(u, function, n)) {
        const char *lock = node_of(u, n)->kind == NODE_CALL ? call_lock(u, n, sort) : NULL;
        if (lock && is_held(code, call, lock) && which-- == 0)
            return lock;
    }
    return NULL;
}

/* The calls that have no such lock get a section of it. */
static int cover_others(struct sections *p, const node_refs *calls, uint32_t held,
                        const char *lock, const char **spelled, struct err *err)
{
    for (uint32_t i = 0; i < calls->len; i++) {
        struct node_ref to = calls->at[i];
        struct unit *u = codebase_unit(p->code, to.unit);
        const char *own = i == held ? NULL : lock_at(p->code, calls->at[held], lock, to);
        if (i == held || statement_is_alone(p->code, to) || (own && is_held(p->code, to, own)))
            continue;
        if (!own || (*spelled && strcmp(*spelled, own) != 0))
            return err_set(err, "the lock cannot be named at every call");
        struct section_range one = {.unit = to.unit, .access = NONE, .access_unit = to.unit};
        if (range_of(u, to.node, to.node, &one.r, err) < 0)
            return -1;
        *spelled = own;
        sections_add(p, one);
    }
    return *spelled ? 0 : err_set(err, "every call of it has the lock");
}

static void try_lock(struct codebase *code, uint32_t cause, const node_refs *calls,
                     uint32_t held, const struct lock_use *lock, struct fix_repair *out)
{
    struct sections p = {.code = code};
    const char *spelled = NULL;
    struct fix_candidate *one = candidate_new(out, "elsewhere", cause);
    struct err err;
    int failed = cover_others(&p, calls, held, lock->expression, &spelled, &err);
    struct lock_choice choice = {.sort = lock->sort, .text = spelled, .name = spelled};
    if (!failed)
        failed = sections_make(&p, &choice, &one->patch, &err);
    one->is_heavy = p.is_heavy;
    sections_done(&p);
    if (failed) {
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL,
                      "what is called under a lock elsewhere is called under it here, too");
    one->trade = "an existing lock is held more often";
}

static void try_function(struct codebase *code, uint32_t cause, struct node_ref function,
                         struct fix_repair *out)
{
    enum { LOCKS_MAX = 3 };
    node_refs calls = {0};
    calls_list(code, function, &calls);
    for (uint32_t i = 0; i < calls.len && calls.len > 1; i++)
        for (uint32_t which = 0; which < LOCKS_MAX; which++) {
            struct lock_use lock;
            lock.expression = lock_held(code, calls.at[i], which, &lock.sort);
            if (lock.expression)
                try_lock(code, cause, &calls, i, &lock, out);
        }
    vec_done(&calls);
}

static bool elsewhere_at(struct codebase *code, struct node_ref s, uint32_t cause,
                         struct fix_repair *out)
{
    node_id function = node_function(codebase_unit(code, s.unit), s.node);
    try_function(code, cause, (struct node_ref){s.unit, function}, out);
    return false; /* each caller may have a lock of its own */
}

static void elsewhere_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, elsewhere_at);
}

const struct recipe recipe_elsewhere = {
    .name = "elsewhere",
    .help = "what is called under a lock elsewhere is called under it here",
    .make = elsewhere_make,
};
