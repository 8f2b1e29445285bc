/* SPDX-License-Identifier: Apache-2.0
 *
 * conflict: which steps of a run conflict, and how the run orders them. For both explorers. */
#ifndef EXPLORE_CONFLICT_H
#define EXPLORE_CONFLICT_H

#include "explore/explore.h"

#include <string.h>

bool access_conflict(const struct access *a, const struct access *b);
bool accesses_conflict(const struct access *a, uint32_t a_count, const struct access *b,
                       uint32_t b_count);
bool steps_conflict(const struct explore_run *r, const struct explore_step *a,
                    const struct explore_step *b);
/* The same where atomics are weak, all that is allowed is offered to each access, and b comes
 * after a. */
enum relation {
    APART,
    MISSES,   /* a could read what b stores, if b came first: nothing else is new then */
    SEES,     /* b reads what a stores; what else it could read is among its choices */
    CONFLICTS /* either order shows what the other does not */
};
enum relation steps_relation(const struct explore_run *r, uint32_t a,
                             const struct explore_step *b);
enum relation accesses_relation(const struct access *a, uint32_t a_count, uint32_t a_step,
                                const struct access *b, uint32_t b_count);
/* b waited for what a did: b cannot come before a. */
bool step_made_way(const struct explore_run *r, const struct explore_step *a,
                   const struct explore_step *b);

static inline bool thr_is_in(const uint32_t *at, uint32_t count, uint32_t thr)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i] == thr)
            return true;
    return false;
}

/* The order of a run: vector clocks. */
struct step_order {
    uint32_t thread_count;
    VEC(uint32_t) clocks; /* by step and thread: how many steps of the thread come before */
    VEC(uint32_t) index;  /* by step: which one of its thread, from 1 */
};

/* All clocks are zero, with room for one step behind the end. */
void step_order_start(struct step_order *o, const struct explore_run *r);
void step_order_done(struct step_order *o);
void clock_join(const struct step_order *o, uint32_t *clock, const uint32_t *other);
/* The same number in all equivalent runs: who did what, knowing what. */
uint64_t step_hash(const struct step_order *o, const struct explore_step *s, uint32_t step);

static inline uint32_t *step_clock(const struct step_order *o, uint32_t step)
{
    return o->clocks.at + (size_t)step * o->thread_count;
}

static inline bool step_is_before(const struct step_order *o, const struct explore_run *r,
                                  uint32_t step, const uint32_t *clock)
{
    return clock[r->steps.at[step].thr] >= o->index.at[step];
}

#endif
