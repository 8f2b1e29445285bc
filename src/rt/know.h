/* SPDX-License-Identifier: Apache-2.0
 *
 * know: what a thread knows, as C11 means it: of every location a rank below which it may read
 * nothing any more (the view), of every thread how much of it happens before (the clock). Both
 * are maps from small numbers to numbers that only grow, absent being 0.
 *
 * A map is a tree of nodes with eight slots each, shared by whoever knows the same and copied
 * where they come to differ: to pass it on costs nothing, to join two costs what differs. */
#ifndef RT_KNOW_H
#define RT_KNOW_H

#include <stdbool.h>
#include <stdint.h>

#define NODES_AT 0x420000000000ULL
enum { NODES_MAX = 1 << 21, FANOUT = 8, FANOUT_LOG2 = 3 };

struct node {
    uint32_t refs, level;
    union {
        uint64_t value[FANOUT];
        uint32_t kid[FANOUT]; /* 0: nothing in there */
        uint32_t next_free;
    };
};

static inline struct node *node_at(uint32_t n)
{
    return (struct node *)(void *)(uintptr_t)NODES_AT + n;
}

/* Roots; 0: empty. Each counts as a reference. */
struct know {
    uint32_t view, clock;
};

void know_start(void);
bool know_is_full(void); /* there was no room: maps are not what they should be */

uint64_t tree_get_deep(uint32_t root, uint32_t at);
void tree_raise(uint32_t *root, uint32_t at, uint64_t value); /* to at least this */
void tree_join(uint32_t *root, uint32_t other);               /* by maximum */
void tree_end(uint32_t root);                                 /* nobody refers to it any more */

/* Most maps are one node: few objects, few threads. */
static inline uint64_t tree_get(uint32_t root, uint32_t at)
{
    if (!root)
        return 0;
    if (at < FANOUT && node_at(root)->level == 0)
        return node_at(root)->value[at];
    return tree_get_deep(root, at);
}

/* One reference more. */
static inline uint32_t tree_hold(uint32_t root)
{
    if (root)
        node_at(root)->refs++;
    return root;
}

static inline void tree_drop(uint32_t *root)
{
    uint32_t n = *root;
    *root = 0;
    if (n && --node_at(n)->refs == 0)
        tree_end(n);
}

static inline struct know know_hold(struct know k)
{
    return (struct know){tree_hold(k.view), tree_hold(k.clock)};
}

static inline void know_drop(struct know *k)
{
    tree_drop(&k->view);
    tree_drop(&k->clock);
}

static inline void know_join(struct know *k, struct know other)
{
    tree_join(&k->view, other.view);
    tree_join(&k->clock, other.clock);
}

#endif
