/* SPDX-License-Identifier: Apache-2.0
 *
 * policy rr: everybody in turn, for so many points each. */
#include "rt/rt.h"

static void rr_start(void) {}

static uint64_t rr_ask(struct thr *t)
{
    return t->step + rt.set.change;
}

static struct thr *rr_point(struct thr *t)
{
    sched_collect();
    return rt.ready_count ? rt.ready[0] : t;
}

static struct thr *rr_pick(struct thr *t, uint16_t *why)
{
    sched_ensure_ready(t, why);
    return rt.ready[0];
}

const struct policy policy_rr = {
    .start = rr_start,
    .ask = rr_ask,
    .point = rr_point,
    .pick = rr_pick,
};
