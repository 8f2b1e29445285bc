/* SPDX-License-Identifier: Apache-2.0
 *
 * ends: a section that ends at different places on different ways through an `if`:
 *     lock; int n = room(); if (n == 0) { unlock; wait(); } else { take(); unlock; wait(); }
 * Ends are nodes that must still be in it. */
#include "source/section.h"

struct ends {
    const node_id *at;
    uint32_t count;
};

static bool has_end(const struct unit *u, node_id root, const struct ends *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (node_is_in(u, e->at[i], root))
            return true;
    return false;
}

/* The last statement of the block with an end; NONE if there is none. */
static node_id last_with_end(const struct unit *u, node_id block, const struct ends *e)
{
    node_id last = NONE;
    for (node_id c = node_of(u, block)->first; c != NONE; c = node_of(u, c)->next)
        last = has_end(u, c, e) ? c : last;
    return last;
}

static bool is_split(const struct unit *u, node_id s)
{
    return node_of(u, s)->kind == NODE_IF && if_else(u, s) != NONE;
}

/* Has n, in statement s, the lock? */
static bool has_lock(const struct unit *u, node_id s, const struct ends *e, node_id n)
{
    if (!has_end(u, s, e))
        return false;
    if (is_split(u, s)) {
        node_id then = if_then(u, s), other = if_else(u, s);
        return node_is_in(u, n, then)    ? has_lock(u, then, e, n)
               : node_is_in(u, n, other) ? has_lock(u, other, e, n)
                                         : true;
    }
    if (node_of(u, s)->kind != NODE_COMPOUND)
        return true;
    node_id last = last_with_end(u, s, e);
    for (node_id c = node_of(u, s)->first; c != last; c = node_of(u, c)->next)
        if (node_is_in(u, n, c))
            return true;
    return node_is_in(u, n, last) && has_lock(u, last, e, n);
}

bool section_ends_have(const struct unit *u, struct range r, const node_id *ends,
                       uint32_t count, node_id n)
{
    struct ends e = {ends, count};
    if (!range_has(u, r, n))
        return false;
    return node_is_in(u, n, r.last) ? has_lock(u, r.last, &e, n) : true;
}

/* On every way through s: behind its last end, or before all if it has none. */
static int release(struct unit *u, node_id s, const struct ends *e, const char *unlock,
                   struct err *err)
{
    bool is_compound = node_of(u, s)->kind == NODE_COMPOUND;
    if (!has_end(u, s, e)) {
        node_id first = is_compound ? node_of(u, s)->first : s;
        if (first == NONE)
            return err_set(err, "a way through the section has an empty block");
        unit_insert(u, first, INSERT_OPEN, unlock);
        return 0;
    }
    if (is_split(u, s))
        return release(u, if_then(u, s), e, unlock, err) < 0 ||
                       release(u, if_else(u, s), e, unlock, err) < 0
                   ? -1
                   : 0;
    if (is_compound)
        return release(u, last_with_end(u, s, e), e, unlock, err);
    unit_insert(u, s, INSERT_CLOSE, unlock);
    return 0;
}

int section_make_ends(struct unit *u, struct range r, const node_id *ends, uint32_t count,
                      const struct lock_use *lock, struct patch *out, struct err *err)
{
    struct ends e = {ends, count};
    if (lock->sort == LOCK_CXX)
        return err_set(err, "a section that ends at several places needs a plain lock");
    const char *unlock = lock_call(u, r.first, lock, false);
    if (section_dissolve(u, r, lock->expression, out, err) < 0)
        return -1;
    unit_insert(u, statement_core(u, r.first), INSERT_OPEN, lock_call(u, r.first, lock, true));
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n))
            if (section_ends_have(u, r, ends, count, n) && statement_leaves(u, r, n) &&
                unlock_before(u, n, unlock, out, err) < 0)
                return -1;
        if (s == r.last)
            break;
    }
    return release(u, r.last, &e, unlock, err);
}
