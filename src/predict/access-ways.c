/* SPDX-License-Identifier: Apache-2.0
 *
 * access-ways: accesses to one cell, by who makes them and where (a way), and under which
 * locks. The last access of a thread hides what it did to the cell before, at another place or
 * without the lock; so where a thread has more than one way to come to a cell, or does so under
 * other locks, the last access of each kind is kept. Two ways that always have a lock in common
 * are not compared, and two whose places are settled are not compared again. */
#include "predict/engine.h"

enum {
    WAYS_MAX = 1 << 10, /* to a cell */
    SLOTS_MAX = 64,     /* sets of locks of a way; those of one slot replace each other */
};

/* ---- under which locks ------------------------------------------------------------- */

static struct under *slot_of(const struct way *w, uint32_t locks)
{
    return &w->slots[(locks * 0x9e3779b1u >> 16) & (w->slot_count - 1)];
}

static void grow(struct way *w)
{
    struct way more = {.slot_count = w->slot_count ? 2 * w->slot_count : 1};
    more.slots = mem_zeroed(more.slot_count, sizeof *more.slots);
    for (uint32_t i = 0; i < w->slot_count; i++)
        if (w->slots[i].done)
            *slot_of(&more, w->slots[i].locks) = w->slots[i];
    free(w->slots);
    w->slots = more.slots;
    w->slot_count = more.slot_count;
}

void way_note(struct way *w, struct locksets *l, uint32_t locks, uint32_t done)
{
    if (w->slot_count == 0)
        w->common = locks;
    while (w->slot_count == 0 ||
           (slot_of(w, locks)->done && slot_of(w, locks)->locks != locks &&
            w->slot_count < SLOTS_MAX))
        grow(w);
    *slot_of(w, locks) = (struct under){locks, done};
    w->done = done;
    if (w->common != locks)
        w->common = lockset_common(l, w->common, locks);
}

/* ---- ways ------------------------------------------------------------------------------ */

/* Rivals are compared in either order: each has the other in its list. */
static void meet(struct cell_ways *c, uint32_t new)
{
    struct way *b = &c->at[new];
    for (uint32_t i = 0; i < new; i++) {
        struct way *a = &c->at[i];
        if (a->thr == b->thr || !(a->writes | b->writes))
            continue;
        vec_push(&a->rivals, new);
        vec_push(&b->rivals, i);
    }
}

uint32_t way_of(struct cell_ways *c, const struct way *like)
{
    uint64_t key = (uint64_t)like->site << 32 | (uint64_t)like->thr << 1 | like->writes;
    uint32_t *id = map_at(&c->by_key, key);
    if (*id == NONE && c->len < WAYS_MAX) {
        *id = c->len;
        vec_push(c, *like);
        meet(c, c->len - 1);
        return c->len - 1;
    }
    return *id;
}

void way_forget(struct way *w, uint32_t rival)
{
    CHECK(rival < w->rivals.len);
    w->rivals.at[rival] = w->rivals.at[--w->rivals.len];
}

void cell_ways_done(struct cell_ways *c)
{
    for (uint32_t i = 0; i < c->len; i++) {
        vec_done(&c->at[i].rivals);
        free(c->at[i].slots);
    }
    map_done(&c->by_key);
    vec_done(c);
}
