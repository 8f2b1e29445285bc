/* SPDX-License-Identifier: Apache-2.0
 *
 * own-guard: a class of the program whose objects hold a lock as long as they live:
 *     class SpinGuard { SpinGuard(SpinLock &l) : lock(l) { lock.acquire(); }
 *                       ~SpinGuard() { lock.release(); } ... };
 * makes SpinLock the type of a lock, and `SpinGuard guard(x);` the way to hold x. */
#include "source/section.h"

#include <string.h>

/* The one method that the function calls on an object, and nothing else; NONE. */
static node_id only_call(const struct unit *u, node_id function)
{
    node_id found = NONE;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        if (node->kind == NODE_IF || node->kind == NODE_FOR || node->kind == NODE_WHILE)
            return NONE;
        if (node->kind != NODE_CALL || node->first == NONE ||
            node_of(u, node->first)->kind != NODE_MEMBER)
            continue;
        if (found != NONE)
            return NONE;
        found = n;
    }
    return found;
}

/* The only parameter, a reference; NONE. */
static node_id only_reference(const struct unit *u, node_id function)
{
    node_id found = NONE;
    for (node_id c = node_of(u, function)->first; c != NONE; c = node_of(u, c)->next) {
        if (node_of(u, c)->kind != NODE_PARAMETER)
            continue;
        if (found != NONE || node_of(u, c)->shape != SHAPE_REFERENCE)
            return NONE;
        found = c;
    }
    return found;
}

static node_id method_of(const struct unit *u, node_id record, const char *name)
{
    for (node_id n = node_of(u, record)->first; n != NONE; n = node_of(u, n)->next)
        if (node_of(u, n)->kind == NODE_FUNCTION && strcmp(node_of(u, n)->name, name) == 0)
            return n;
    return NONE;
}

/* Does it wait until the object is its own: takes a lock, or tries for one in a loop? */
static bool is_taking(struct unit *u, node_id function)
{
    static const char *const tries[] = {"test_and_set", "exchange", "compare_exchange"};
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        enum lock_sort sort;
        enum node_kind kind = node_of(u, n)->kind;
        struct text t = node_text(u, n);
        if (kind == NODE_CALL && call_lock(u, n, &sort))
            return true;
        for (unsigned i = 0; i < sizeof tries / sizeof *tries; i++)
            if ((kind == NODE_WHILE || kind == NODE_DO || kind == NODE_FOR) &&
                memmem(t.at, t.len, tries[i], strlen(tries[i])))
                return true;
    }
    return false;
}

/* The class of what it locks; NONE: it is no guard. */
static node_id locked_class(struct unit *u, node_id record)
{
    const char *name = node_of(u, record)->name;
    char destructor[80];
    node_id made =
        *name && strlen(name) + 2 < sizeof destructor ? method_of(u, record, name) : NONE;
    node_id parameter = made == NONE ? NONE : only_reference(u, made);
    node_id lock = parameter == NONE ? NONE : node_of(u, parameter)->record;
    if (lock == NONE || lock == record)
        return NONE;
    snprintf(destructor, sizeof destructor, "~%s", name);
    node_id ended = method_of(u, record, destructor);
    node_id taken = only_call(u, made), given = ended == NONE ? NONE : only_call(u, ended);
    if (taken == NONE || given == NONE ||
        strcmp(node_of(u, taken)->name, node_of(u, given)->name) == 0)
        return NONE;
    node_id takes = method_of(u, lock, node_of(u, taken)->name);
    return takes != NONE && is_taking(u, takes) ? lock : NONE;
}

void own_guards_find(struct unit *u)
{
    for (node_id n = 1; n < u->nodes.len && u->is_cxx; n++) {
        node_id lock = node_of(u, n)->kind == NODE_RECORD ? locked_class(u, n) : NONE;
        if (lock != NONE)
            vec_push(&u->guards, (struct own_guard){.name = node_of(u, n)->name,
                                                    .of = node_of(u, lock)->name});
    }
}

const char *own_guard_for(const struct unit *u, const char *type)
{
    for (uint32_t i = 0; i < u->guards.len; i++)
        if (strcmp(u->guards.at[i].of, type) == 0)
            return u->guards.at[i].name;
    return NULL;
}

bool is_own_guard(const struct unit *u, const char *type)
{
    for (uint32_t i = 0; i < u->guards.len; i++)
        if (strcmp(u->guards.at[i].name, type) == 0)
            return true;
    return false;
}

bool is_lock_type(const struct unit *u, const char *type, enum lock_sort *sort)
{
    if (!own_guard_for(u, type))
        return is_mutex_type(type, sort);
    *sort = LOCK_CXX;
    return true;
}
