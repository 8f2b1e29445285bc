/* SPDX-License-Identifier: Apache-2.0
 *
 * policy nudge: fifo, except at certain steps of certain threads, where somebody else goes on
 * if he can. Any part of the switches of a run makes a run: that is how a schedule is made
 * smaller. The file is a schedule whose choices are sorted and carry the thread whose step is
 * meant in the upper 16 bits of `step`. */
#include "heddle/weak.h"
#include "rt/rt.h"
#include "rt/sys.h"

#include <sys/mman.h>

enum { WINDOW_NUDGES = 4 }; /* as that of the policy replay: there is one of them only */

static uint64_t key_of(const struct thr *t)
{
    return (uint64_t)t->id << 48 | t->step;
}

static void nudge_start(void)
{
    struct log_map m = memory_log(rt.set.schedule, memory_window(WINDOW_NUDGES), LOG_SCHEDULE,
                                  PROT_READ | PROT_WRITE);
    if (!m.head)
        outcome_diverged(m.is_there ? "not a schedule" : "cannot read the schedule");
    rt.nudge.nudges = (struct choice *)(void *)(m.head + 1);
    rt.nudge.count = (m.bytes - sizeof *m.head) / sizeof *rt.nudge.nudges;
    for (uint64_t i = 1; i < rt.nudge.count; i++)
        if (rt.nudge.nudges[i - 1].step > rt.nudge.nudges[i].step)
            outcome_diverged("the switches of the schedule are not in order");
}

/* The first one not before this key. */
static uint64_t first_from(uint64_t key)
{
    uint64_t low = 0, high = rt.nudge.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rt.nudge.nudges[middle].step < key)
            low = middle + 1;
        else
            high = middle;
    }
    CHECK(low == 0 || rt.nudge.nudges[low - 1].step < key);
    return low;
}

static bool is_preempted(const struct choice *c)
{
    return c->why == WORD_VALUE(SWITCH, PREEMPTED);
}

/* One that is meant for this moment, each only once; null if there is none. */
static const struct choice *take(const struct thr *t, bool preempted)
{
    for (uint64_t i = first_from(key_of(t)); i < rt.nudge.count; i++) {
        struct choice *c = &rt.nudge.nudges[i];
        if (c->step != key_of(t))
            break;
        if (c->mark && !choice_is_weak(c) && is_preempted(c) == preempted) {
            c->mark = 0;
            return c;
        }
    }
    return NULL;
}

static uint64_t nudge_ask(struct thr *t)
{
    uint64_t fair = policy_fifo.ask(t);
    for (uint64_t i = first_from(key_of(t)); i < rt.nudge.count; i++) {
        const struct choice *c = &rt.nudge.nudges[i];
        uint64_t step = c->step & ((1ULL << 48) - 1);
        if (c->step >> 48 != t->id || step >= fair)
            break;
        if (c->mark && is_preempted(c))
            return step;
    }
    return fair;
}

static struct thr *nudge_point(struct thr *t)
{
    const struct choice *c = take(t, true);
    if (!c)
        return policy_fifo.point(t);
    sched_collect();
    bool can = c->thr < rt.thread_count && rt.threads[c->thr].state == THR_READY;
    return can ? &rt.threads[c->thr] : t;
}

static struct thr *nudge_pick(struct thr *t, uint16_t *why)
{
    const struct choice *c = take(t, false);
    struct thr *next = c && c->thr < rt.thread_count ? &rt.threads[c->thr] : NULL;
    sched_collect();
    if (next && c->why == WORD_VALUE(SWITCH, TIMEOUT) && next->state == THR_BLOCKED &&
        sched_is_timed(next)) {
        *why = c->why;
        sched_expire(next);
    }
    return next && next->state == THR_READY ? next : policy_fifo.pick(t, why);
}

static uint32_t nudge_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    (void)site;
    for (uint64_t i = first_from(key_of(t)); i < rt.nudge.count; i++) {
        struct choice *c = &rt.nudge.nudges[i];
        if (c->step != key_of(t))
            break;
        if (!c->mark || !choice_is_weak(c))
            continue;
        c->mark = 0;
        return weak_unpack(c).count == count ? weak_unpack(c).number : 0;
    }
    return 0;
}

const struct policy policy_nudge = {
    .start = nudge_start,
    .ask = nudge_ask,
    .point = nudge_point,
    .pick = nudge_pick,
    .weak = nudge_weak,
};
