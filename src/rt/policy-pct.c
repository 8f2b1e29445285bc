/* SPDX-License-Identifier: Apache-2.0
 *
 * policy pct: probabilistic concurrency testing (Burckhardt et al. 2010). Threads have random
 * priorities; the highest that can run does; at depth - 1 random steps of the run the running
 * thread becomes the lowest but for those lowered later. Deviation: whoever yields or spins is
 * lowered below all others, for the paper's programs do not wait for each other in loops; and
 * the length of the run, if it is not given, is drawn too, from 16 to 32768 steps; and at every
 * second change somebody whose wait for a limited time has just ended goes first. With --weak
 * some of the changes are no priorities: an atomic access does another thing than the usual. */
#include "heddle/weak.h"
#include "rt/rt.h"

enum { POINTS_MAX = 32, LENGTHS = 12, EXPIRE_IN = 2, WEAK_SHARE = 4 };

/* With --weak each change is one of an atomic access as often as not. There are fewer of those
 * than there are steps. */
static void draw_weak(uint64_t length)
{
    uint32_t count = rt.pct.count;
    for (uint32_t i = 0; i < count && rt.set.weak != WEAK_OFF; i++)
        if (random_below(2)) {
            rt.pct.weak[rt.pct.weak_count++] = 1 + random_below(1 + length / WEAK_SHARE);
            rt.pct.count--;
        }
}

static void pct_start(void)
{
    uint32_t count = rt.set.depth > POINTS_MAX ? POINTS_MAX : (uint32_t)rt.set.depth;
    rt.pct.count = count ? count - 1 : 0;
    rt.pct.low = 1ULL << 32;
    uint64_t length = rt.set.length ? rt.set.length : 16ULL << random_below(LENGTHS);
    draw_weak(length);
    for (uint32_t i = 0; i < rt.pct.count; i++) {
        uint64_t step = 1 + random_below(length);
        uint32_t j = i;
        for (; j > 0 && rt.pct.points[j - 1] > step; j--)
            rt.pct.points[j] = rt.pct.points[j - 1];
        rt.pct.points[j] = step;
        CHECK(j == 0 || rt.pct.points[j - 1] <= step);
    }
}

_Static_assert(sizeof rt.pct.points == POINTS_MAX * sizeof *rt.pct.points, "steps of changes");

static void pct_born(struct thr *t)
{
    t->priority = random_next() | 1ULL << 63;
}

/* Below all others, also those that were lowered before: else two threads that wait in loops
 * could take turns for ever, and who they wait for never comes. */
static void lower(struct thr *t)
{
    CHECK(rt.pct.low > 0 && rt.pct.low < 1ULL << 63); /* below all that were not lowered */
    t->priority = rt.pct.low--;
}

static struct thr *highest(struct thr *best)
{
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (!best || rt.ready[i]->priority > best->priority)
            best = rt.ready[i];
    return best;
}

static uint64_t pct_ask(struct thr *t)
{
    if (rt.pct.next >= rt.pct.count)
        return t->step + rt.set.fair;
    uint64_t steps = rt.steps_past + (t->step - t->in_step), at = rt.pct.points[rt.pct.next];
    return t->step + (at > steps ? at - steps : 1);
}

static struct thr *pct_point(struct thr *t)
{
    sched_collect();
    uint64_t steps = sched_steps();
    uint32_t next = rt.pct.next;
    for (; rt.pct.next < rt.pct.count && steps >= rt.pct.points[rt.pct.next]; rt.pct.next++)
        lower(t);
    struct thr *late = next < rt.pct.next ? policy_expires(EXPIRE_IN) : NULL;
    if (late)
        return late;
    if (t->step - t->in_step >= rt.set.fair)
        lower(t);
    return highest(t);
}

/* In every fourth run time is unkind. Either sleeps are short: whoever would go on but for the
 * time he waits for goes on, mostly, if he is more important than all who can. Or they are not,
 * and waits for a limited time are in vain where they can be: what a thread does then is often
 * what it does in no other run. */
static struct thr *pct_hastens(void)
{
    if (rt.set.seed % 4 != 3 || rt.timed_count == 0 || random_below(8) == 0)
        return NULL;
    bool in_vain = rt.set.seed % 8 == 7;
    struct thr *ready = highest(NULL), *late = in_vain ? policy_in_vain() : policy_latest();
    if (!late || (!in_vain && ready && ready->priority > late->priority))
        return NULL;
    sched_expire(late);
    return late;
}

static struct thr *pct_pick(struct thr *t, uint16_t *why)
{
    struct thr *late = pct_hastens();
    if (late)
        return late;
    sched_ensure_ready(t, why);
    CHECK(rt.pct.next <= rt.pct.count && rt.pct.count < POINTS_MAX);
    return highest(NULL);
}

/* Somebody more important can run: at the next point. */
static void pct_ready(struct thr *t)
{
    struct thr *r = rt.running;
    if (r && r != t && t->priority > r->priority) {
        r->ask = r->step;
        r->until = 0;
    }
}

static uint32_t pct_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    (void)t;
    (void)site;
    rt.pct.weak_met++;
    for (uint32_t i = 0; i < rt.pct.weak_count; i++)
        if (rt.pct.weak[i] == rt.pct.weak_met)
            return 1 + (uint32_t)random_below(count - 1);
    return 0;
}

static bool pct_ends(void)
{
    return true;
}

const struct policy policy_pct = {
    .ends = pct_ends,
    .start = pct_start,
    .ask = pct_ask,
    .point = pct_point,
    .pick = pct_pick,
    .born = pct_born,
    .ready = pct_ready,
    .yields = lower,
    .weak = pct_weak,
};
