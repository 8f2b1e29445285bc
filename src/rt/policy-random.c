/* SPDX-License-Identifier: Apache-2.0
 *
 * policy random: switch every so many points on average, to anyone who can run; more often at
 * the beginning, for short programs have few points. Now and then a wait for a limited time, or
 * a sleep, ends although somebody could run: how long anything takes is nobody's promise. */
#include "rt/rt.h"

enum { EXPIRE_IN = 16 }; /* choices, on average, while somebody waits for a limited time */

static void random_start(void) {}

static uint64_t random_ask(struct thr *t)
{
    uint64_t mean = 2 + (rt.steps_past + (t->step - t->in_step)) / 16;
    return t->step + 1 + random_below(2 * (mean < rt.set.change ? mean : rt.set.change) - 1);
}

static struct thr *random_point(struct thr *t)
{
    sched_collect();
    policy_wakes_unasked();
    struct thr *late = policy_expires(EXPIRE_IN);
    if (late)
        return late;
    return rt.ready_count ? rt.ready[random_below(rt.ready_count)] : t;
}

static struct thr *random_pick(struct thr *t, uint16_t *why)
{
    struct thr *late = policy_expires(EXPIRE_IN);
    if (late)
        return late;
    sched_ensure_ready(t, why);
    return rt.ready[random_below(rt.ready_count)];
}

const struct policy policy_random = {
    .name = "random",
    .start = random_start,
    .ask = random_ask,
    .point = random_point,
    .pick = random_pick,
    .waiter = policy_random_waiter,
};
