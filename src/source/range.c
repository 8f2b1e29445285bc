/* SPDX-License-Identifier: Apache-2.0
 *
 * range: statements that follow each other. */
#include "source/section.h"

bool is_block(const struct unit *u, node_id n)
{
    return n != NONE && node_of(u, n)->kind == NODE_COMPOUND;
}

/* The child of the block that the node is in. */
static node_id child_with(const struct unit *u, node_id block, node_id n)
{
    while (n != NONE && node_of(u, n)->parent != block)
        n = node_of(u, n)->parent;
    return n;
}

static bool stands_before(const struct unit *u, node_id a, node_id b)
{
    for (; a != NONE; a = node_of(u, a)->next)
        if (a == b)
            return true;
    return false;
}

int range_of(const struct unit *u, node_id a, node_id b, struct range *out, struct err *err)
{
    for (node_id s = node_statement(u, a); s != NONE; s = statement_above(u, s)) {
        node_id block = node_of(u, s)->parent;
        if (node_is_in(u, b, s)) {
            *out = (struct range){s, s};
            return 0;
        }
        if (!is_block(u, block) || !node_is_in(u, b, block))
            continue;
        node_id other = child_with(u, block, b);
        if (other == NONE) /* it is the block itself: next time round */
            continue;
        bool is_first = stands_before(u, s, other);
        *out = is_first ? (struct range){s, other} : (struct range){other, s};
        return 0;
    }
    return err_set(err, "the two places are not in one function");
}

bool range_has(const struct unit *u, struct range r, node_id n)
{
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        if (node_is_in(u, n, s))
            return true;
        if (s == r.last)
            break;
    }
    return false;
}

bool range_meets(const struct unit *u, struct range a, struct range b)
{
    return range_has(u, a, b.first) || range_has(u, b, a.first) || range_has(u, a, b.last) ||
           range_has(u, b, a.last);
}

bool range_follows(const struct unit *u, struct range a, struct range b)
{
    return is_block(u, node_of(u, a.last)->parent) && node_of(u, a.last)->next == b.first;
}

int range_join(const struct unit *u, struct range a, struct range b, struct range *out,
               struct err *err)
{
    struct range both;
    if (range_of(u, a.first, b.first, &both, err) < 0)
        return -1;
    node_id block = node_of(u, both.first)->parent;
    if (!is_block(u, block)) {
        *out = both;
        return 0;
    }
    node_id ends[2] = {child_with(u, block, a.last), child_with(u, block, b.last)};
    for (unsigned i = 0; i < 2; i++)
        if (ends[i] != NONE && stands_before(u, both.last, ends[i]))
            both.last = ends[i];
    *out = both;
    return 0;
}
