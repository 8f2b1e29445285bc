/* SPDX-License-Identifier: Apache-2.0
 *
 * policy turns: nobody is interrupted. Whoever runs goes on until it waits; then anybody who
 * can run, by chance. What such runs have in common does not come from switches. */
#include "rt/rt.h"

static void turns_start(void) {}

static struct thr *turns_pick(struct thr *t, uint16_t *why)
{
    sched_ensure_ready(t, why);
    return rt.ready[random_below(rt.ready_count)];
}

/* One that runs very long may wait for others in a loop. */
static struct thr *turns_point(struct thr *t)
{
    return policy_fifo.point(t);
}

static uint64_t turns_ask(struct thr *t)
{
    return policy_fifo.ask(t);
}

const struct policy policy_turns = {
    .start = turns_start,
    .ask = turns_ask,
    .point = turns_point,
    .pick = turns_pick,
};
