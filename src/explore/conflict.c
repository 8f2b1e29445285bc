/* SPDX-License-Identifier: Apache-2.0
 *
 * conflict: what one step of a run has to do with another. */
#include "explore/conflict.h"

void explore_run_done(struct explore_run *r)
{
    vec_done(&r->steps);
    vec_done(&r->pending);
    vec_done(&r->accesses);
    vec_done(&r->options);
    vec_done(&r->afters);
}

/* ---- conflicts --------------------------------------------------------------------------- */

bool access_conflict(const struct access *a, const struct access *b)
{
    return a->obj == b->obj && a->lo < b->hi && b->lo < a->hi &&
           !(a->mode == ACCESS_READ && b->mode == ACCESS_READ);
}

bool accesses_conflict(const struct access *a, uint32_t a_count, const struct access *b,
                       uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            if (access_conflict(&a[i], &b[j]))
                return true;
    return false;
}

bool steps_conflict(const struct explore_run *r, const struct explore_step *a,
                    const struct explore_step *b)
{
    if ((a->flags | b->flags) & STEP_OPAQUE)
        return true;
    return accesses_conflict(r->accesses.at + a->access, a->access_count,
                             r->accesses.at + b->access, b->access_count);
}

/* A store takes any place among those that its thread does not know, a load may read any of
 * them: so a store that comes first leaves all choices to what comes behind it. Nothing comes
 * between a read-modify-write and what it has read; two of them cannot read the same. */
static enum relation access_relation(const struct access *a, uint32_t a_step,
                                     const struct access *b)
{
    if (!access_conflict(a, b))
        return APART;
    if (!a->weak || !b->weak || a->lo != b->lo || a->hi != b->hi ||
        (a->weak == WEAK_CHANGE && b->weak == WEAK_CHANGE))
        return CONFLICTS;
    if (b->weak != WEAK_STORE && a->weak != WEAK_LOAD && b->from == a_step && a_step != NONE)
        return SEES;
    bool misses = b->weak == WEAK_STORE ? a->weak != WEAK_STORE
                                        : a->weak == WEAK_LOAD && b->weak == WEAK_CHANGE;
    return misses ? MISSES : APART;
}

enum relation accesses_relation(const struct access *a, uint32_t a_count, uint32_t a_step,
                                const struct access *b, uint32_t b_count)
{
    bool misses = false, sees = false;
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++) {
            enum relation is = access_relation(&a[i], a_step, &b[j]);
            if (is == CONFLICTS)
                return is;
            misses |= is == MISSES;
            sees |= is == SEES;
        }
    return misses && sees ? CONFLICTS : misses ? MISSES : sees ? SEES : APART;
}

enum relation steps_relation(const struct explore_run *r, uint32_t a,
                             const struct explore_step *b)
{
    const struct explore_step *first = &r->steps.at[a];
    if ((first->flags | b->flags) & STEP_OPAQUE)
        return CONFLICTS;
    return accesses_relation(r->accesses.at + first->access, first->access_count, a,
                             r->accesses.at + b->access, b->access_count);
}

bool step_made_way(const struct explore_run *r, const struct explore_step *a,
                   const struct explore_step *b)
{
    bool gives = false;
    if ((a->flags | b->flags) & STEP_OPAQUE)
        return false;
    for (uint32_t i = a->access; i < a->access + a->access_count; i++)
        for (uint32_t j = b->access; j < b->access + b->access_count; j++) {
            const struct access *x = &r->accesses.at[i], *y = &r->accesses.at[j];
            if (!access_conflict(x, y))
                continue;
            if (x->mode != ACCESS_GIVE || y->mode != ACCESS_TAKE)
                return false;
            gives = true;
        }
    return gives;
}

/* ---- the order of a run ------------------------------------------------------------------ */

void clock_join(const struct step_order *o, uint32_t *clock, const uint32_t *other)
{
    for (uint32_t i = 0; i < o->thread_count; i++)
        if (other[i] > clock[i])
            clock[i] = other[i];
}

void step_order_start(struct step_order *o, const struct explore_run *r)
{
    o->thread_count = 1;
    for (uint32_t i = 0; i < r->steps.len; i++)
        if (r->steps.at[i].thr >= o->thread_count)
            o->thread_count = r->steps.at[i].thr + 1;
    for (uint32_t i = 0; i < r->pending.len; i++)
        if (r->pending.at[i].thr >= o->thread_count)
            o->thread_count = r->pending.at[i].thr + 1;
    uint64_t cells = ((uint64_t)r->steps.len + 1) * o->thread_count;
    o->clocks.len = o->index.len = 0;
    vec_reserve(&o->clocks, (uint32_t)cells);
    vec_reserve(&o->index, r->steps.len);
    memset(o->clocks.at, 0, cells * sizeof *o->clocks.at);
    o->clocks.len = (uint32_t)cells;
}

uint64_t step_hash(const struct step_order *o, const struct explore_step *s, uint32_t step)
{
    uint64_t h = hash_u64(s->what + 0x9e37 * (uint64_t)s->thr);
    for (uint32_t t = 0; t < o->thread_count; t++)
        h = hash_u64(h + step_clock(o, step)[t] + 1) * 31;
    return h * h + h;
}

void step_order_done(struct step_order *o)
{
    vec_done(&o->clocks);
    vec_done(&o->index);
}
