/* SPDX-License-Identifier: Apache-2.0
 *
 * policy calls: threads as if they were functions. A new one runs at once, its creator when it
 * waits or ends, and nobody is interrupted. What fails so as well needs no second thread. Who
 * goes on where somebody waits: with odd seeds the one that could last, as a caller does; with
 * even ones anybody, by chance. */
#include "rt/rt.h"

static struct thr *newest; /* it is to run now; else null */

static void calls_start(void) {}

static bool calls_created(struct thr *child)
{
    CHECK(!newest && child->state == THR_READY);
    newest = child;
    return true;
}

static struct thr *calls_pick(struct thr *t, uint16_t *why)
{
    struct thr *first = newest;
    newest = NULL;
    if (first)
        return first;
    sched_ensure_ready(t, why);
    return rt.ready[rt.set.seed % 2 ? rt.ready_count - 1 : random_below(rt.ready_count)];
}

/* One that runs very long may wait for others in a loop. */
static struct thr *calls_point(struct thr *t)
{
    return policy_fifo.point(t);
}

static uint64_t calls_ask(struct thr *t)
{
    return policy_fifo.ask(t);
}

const struct policy policy_calls = {
    .start = calls_start,
    .ask = calls_ask,
    .point = calls_point,
    .pick = calls_pick,
    .created = calls_created,
};
