/* SPDX-License-Identifier: Apache-2.0
 *
 * policy random: switch every so many points on average, to anyone who can run; more often at
 * the beginning, for short programs have few points, and less and less in long ones, in which a
 * thread does not come to anything of interest between two switches, and which would do nothing
 * but switch. Now and then a wait for a limited time, or
 * a sleep, ends although somebody could run: how long anything takes is nobody's promise. */
#include "rt/rt.h"

enum {
    EXPIRE_IN = 16,      /* choices, on average, while somebody waits for a limited time */
    SHORT_STEPS = 50000, /* of all threads; behind them the mean grows with their number */
    GROWS_MAX = 40,      /* times; longer, and those that wait for a time would never have it */
};

static uint64_t random_ask(struct thr *t)
{
    uint64_t steps = rt.steps_past + (t->step - t->in_step), mean = 2 + steps / 16;
    uint64_t grows = steps / SHORT_STEPS;
    if (mean > rt.set.change)
        mean = rt.set.change * (grows < 1 ? 1 : grows < GROWS_MAX ? grows : GROWS_MAX);
    return t->step + 1 + random_below(2 * mean - 1);
}

static struct thr *random_point(struct thr *t)
{
    sched_collect();
    policy_wakes_unasked();
    struct thr *late = policy_expires(EXPIRE_IN);
    if (late)
        return late;
    return temper_any(t);
}

static struct thr *random_pick(struct thr *t, uint16_t *why)
{
    struct thr *late = policy_expires(EXPIRE_IN);
    if (late)
        return late;
    sched_ensure_ready(t, why);
    return temper_any(NULL);
}

static bool random_ends(void)
{
    return random_below(2);
}

const struct policy policy_random = {
    .ends = random_ends,
    .start = temper_start,
    .ask = random_ask,
    .point = random_point,
    .pick = random_pick,
    .waiter = policy_random_waiter,
    .weak = temper_weak,
};
