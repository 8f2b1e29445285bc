/* SPDX-License-Identifier: Apache-2.0
 *
 * know: see know.h. A node of level 0 holds eight numbers, one of level n eight nodes of level
 * n - 1. Whoever changes a node that somebody else refers to changes a copy. */
#include "rt/know.h"
#include "rt/rt.h"

void know_start(void)
{
    rt.know.count = 1; /* 0 is no node */
    rt.know.is_full = !memory_reserve(NODES_AT, (uint64_t)NODES_MAX * sizeof(struct node));
}

bool know_is_full(void)
{
    return rt.know.is_full;
}

/* With one reference; what is in it is left to who asks. 0: no room. */
static uint32_t node_take(void)
{
    uint32_t n = rt.know.free;
    if (n) {
        rt.know.free = node_at(n)->next_free;
    } else if (rt.know.count < NODES_MAX) {
        n = rt.know.count++;
    } else {
        rt.know.is_full = true;
        return 0;
    }
    node_at(n)->refs = 1;
    return n;
}

static uint32_t node_new(uint32_t level)
{
    uint32_t n = node_take();
    if (n)
        *node_at(n) = (struct node){.refs = 1, .level = level};
    return n;
}

void tree_end(uint32_t root)
{
    struct node *node = node_at(root);
    CHECK(root < rt.know.count);
    for (unsigned i = 0; node->level > 0 && i < FANOUT; i++)
        tree_drop(&node->kid[i]);
    node->next_free = rt.know.free;
    rt.know.free = root;
}

/* Makes it a node that nobody else refers to. */
static void own(uint32_t *root)
{
    struct node *old = node_at(*root);
    if (old->refs == 1)
        return;
    uint32_t n = node_take();
    if (!n)
        return;
    struct node *node = node_at(n);
    *node = *old;
    node->refs = 1;
    for (unsigned i = 0; node->level > 0 && i < FANOUT; i++)
        tree_hold(node->kid[i]);
    old->refs--;
    *root = n;
}

static bool is_below(uint32_t at, uint32_t level)
{
    unsigned bits = (level + 1) * FANOUT_LOG2;
    return bits >= 32 || at >> bits == 0;
}

static unsigned slot_of(uint32_t at, uint32_t level)
{
    return at >> (level * FANOUT_LOG2) & (FANOUT - 1);
}

uint64_t tree_get_deep(uint32_t root, uint32_t at)
{
    if (!root || !is_below(at, node_at(root)->level))
        return 0;
    const struct node *node = node_at(root);
    for (uint32_t level = node->level; level > 0; level--) {
        uint32_t kid = node->kid[slot_of(at, level)];
        if (!kid)
            return 0;
        node = node_at(kid);
    }
    return node->value[at & (FANOUT - 1)];
}

/* One level higher, with what there was as the first part. */
static void lift(uint32_t *root)
{
    uint32_t n = node_new(node_at(*root)->level + 1);
    if (!n)
        return;
    node_at(n)->kid[0] = *root;
    *root = n;
}

void tree_raise(uint32_t *root, uint32_t at, uint64_t value)
{
    if (rt.know.is_full || tree_get(*root, at) >= value)
        return;
    if (!*root)
        *root = node_new(0);
    while (!rt.know.is_full && !is_below(at, node_at(*root)->level))
        lift(root);
    for (uint32_t *place = root; !rt.know.is_full;) {
        own(place);
        struct node *node = node_at(*place);
        if (node->level == 0) {
            node->value[at & (FANOUT - 1)] = value;
            return;
        }
        place = &node->kid[slot_of(at, node->level)];
        if (!*place)
            *place = node_new(node->level - 1);
    }
}

/* Is there nothing more in b than in a? Of the same level. */
static bool covers(uint32_t a, uint32_t b)
{
    if (a == b || !b)
        return true;
    if (!a)
        return false;
    const struct node *x = node_at(a), *y = node_at(b);
    bool all = true, less = false;
    for (unsigned i = 0; x->level == 0 && i < FANOUT; i++)
        less |= x->value[i] < y->value[i]; /* no branch for each: it is asked often */
    for (unsigned i = 0; x->level > 0 && all && i < FANOUT; i++)
        all = covers(x->kid[i], y->kid[i]);
    return all && !less;
}

static void join_level(uint32_t *a, uint32_t b)
{
    if (*a == b || !b)
        return;
    if (!*a) {
        *a = tree_hold(b);
        return;
    }
    own(a);
    if (rt.know.is_full)
        return;
    struct node *x = node_at(*a);
    const struct node *y = node_at(b);
    CHECK(x->level == y->level && x->refs == 1);
    for (unsigned i = 0; i < FANOUT; i++) {
        if (x->level == 0)
            x->value[i] = x->value[i] > y->value[i] ? x->value[i] : y->value[i];
        else if (!covers(x->kid[i], y->kid[i]))
            join_level(&x->kid[i], y->kid[i]);
    }
}

void tree_join(uint32_t *root, uint32_t other)
{
    if (rt.know.is_full || !other || *root == other)
        return;
    uint32_t low = node_at(other)->level;
    while (*root && !rt.know.is_full && node_at(*root)->level < low)
        lift(root);
    uint32_t *place = root;
    for (uint32_t level = *root ? node_at(*root)->level : low; level > low; level--) {
        own(place);
        if (rt.know.is_full)
            return;
        place = &node_at(*place)->kid[0];
        if (!*place && level - 1 > low)
            *place = node_new(level - 1);
    }
    if (!rt.know.is_full && !covers(*place, other))
        join_level(place, other);
}
