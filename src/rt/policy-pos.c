/* SPDX-License-Identifier: Apache-2.0
 *
 * policy pos: partial order sampling (Yuan, Yang, Gu 2018). What a thread is about to do has a
 * random priority; the highest goes first. Whatever conflicts with what was just done gets a
 * new one: the order of things that do not touch each other is not chosen again and again.
 * Deviations: whoever yields or spins comes last once; now and then a wait for a limited time
 * ends by time although somebody could run. */
#include "rt/rt.h"

enum { EXPIRE_IN = 64 }; /* choices, on average, while somebody waits for a limited time */

static void draw(struct thr *t)
{
    t->priority = random_next() | 1;
}

static uint64_t pos_ask(struct thr *t)
{
    return t->step + 1;
}

/* Whoever would only start to wait comes after all others; but before one that gives way,
 * which may do so until the other waits. */
static unsigned rank(const struct thr *t)
{
    return t->priority == 0 ? 0 : sched_would_wait(t) ? 1 : 2;
}

static struct thr *highest(struct thr *best)
{
    unsigned most = best ? rank(best) : 0;
    for (uint32_t i = 0; i < rt.ready_count; i++) {
        struct thr *t = rt.ready[i];
        unsigned mine = rank(t);
        if (!best || mine > most || (mine == most && t->priority > best->priority)) {
            best = t;
            most = mine;
        }
    }
    return best;
}

/* One that never waits would keep those for ever from running that gave way to it. */
static void draw_again(struct thr *t)
{
    for (uint32_t i = 0; i < rt.ready_count; i++)
        draw(rt.ready[i]);
    t->priority = 0;
}

static struct thr *pos_point(struct thr *t)
{
    sched_collect();
    policy_wakes_unasked();
    draw(t);
    if (t->step - t->in_step >= rt.set.fair)
        draw_again(t);
    struct thr *late = policy_expires(EXPIRE_IN);
    return late ? late : highest(t);
}

static struct thr *pos_pick(struct thr *t, uint16_t *why)
{
    sched_ensure_ready(t, why);
    for (uint32_t i = 0; i < rt.ready_count && rt.temper.gathers; i++)
        if (rt.ready[i]->step == 0)
            draw(rt.ready[i]); /* whoever gathered them waits */
    return highest(NULL);
}

static void pos_passes(struct thr *t)
{
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (place_conflict(&t->at, &rt.ready[i]->at))
            draw(rt.ready[i]);
}

/* It has waited for something: what it does now is new. Or it was made. */
static void pos_ready(struct thr *t)
{
    if (t != rt.running)
        draw(t);
    if (temper_holds(t))
        t->priority = 0;
}

static void pos_yields(struct thr *t)
{
    t->priority = 0;
}

static bool pos_ends(void)
{
    return true;
}

const struct policy policy_pos = {
    .ends = pos_ends,
    .start = temper_start,
    .ask = pos_ask,
    .point = pos_point,
    .pick = pos_pick,
    .born = draw,
    .ready = pos_ready,
    .yields = pos_yields,
    .waiter = policy_random_waiter,
    .weak = temper_weak,
    .passes = pos_passes,
};
