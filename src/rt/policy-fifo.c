/* SPDX-License-Identifier: Apache-2.0
 *
 * policy fifo: run until blocked; then whoever could run first. A thread that runs very long
 * while others could is switched too, so that loops which count while they wait end. Also the
 * list of all policies, and their dice. */
#include "rt/rt.h"

static void fifo_start(void) {}

/* Not always after the same number of steps: a loop of just that length would be left with its
 * lock held every time. */
static uint64_t fifo_ask(struct thr *t)
{
    uint64_t more = t->step * 0x9e3779b97f4a7c15ULL >> 58; /* below 64 */
    return t->step + rt.set.fair + more;
}

/* Whoever has not run for longest. */
static struct thr *longest_ready(void)
{
    struct thr *best = NULL;
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (!best || rt.ready[i]->left < best->left)
            best = rt.ready[i];
    return best;
}

/* Its turn is over. Not the first in the list: one that waits for a lock comes to its end again
 * each time that the lock was free for a moment. */
static struct thr *fifo_point(struct thr *t)
{
    sched_collect();
    struct thr *best = longest_ready();
    return best ? best : t;
}

/* Others may yield to each other, and take such a lock in between, without end. Who has not run
 * at all yet is not meant. */
static struct thr *fifo_pick(struct thr *t, uint16_t *why)
{
    sched_ensure_ready(t, why);
    CHECK(rt.ready[0]->state == THR_READY);
    struct thr *best = longest_ready();
    bool is_passed_over = best->left && sched_steps() - best->left > rt.set.fair;
    return is_passed_over ? best : rt.ready[0];
}

/* What the others would do is worth seeing. */
static bool fifo_ends(void)
{
    return true;
}

const struct policy policy_fifo = {
    .ends = fifo_ends,
    .start = fifo_start,
    .ask = fifo_ask,
    .point = fifo_point,
    .pick = fifo_pick,
};

static const struct {
    const char *name;
    const struct policy *policy;
} policies[] = {
#define POLICY(name, ...) {#name, &policy_##name},
#include "heddle/policy.def"
#undef POLICY
};

const struct policy *policy_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const char *n = policies[i].name;
        if (__builtin_strlen(n) == len && __builtin_memcmp(n, name, len) == 0)
            return policies[i].policy;
    }
    return NULL;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
uint64_t random_next(void)
{
    uint64_t z = rt.random += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

uint64_t random_below(uint64_t n)
{
    CHECK(n > 0);
    return (uint64_t)(((unsigned __int128)random_next() * n) >> 64);
}

/* ---- what policies share ------------------------------------------------------------- */

struct thr *policy_random_waiter(struct obj *o)
{
    struct thr *chosen = o->first;
    uint32_t count = 0;
    for (struct thr *w = o->first; w; w = w->wait_next)
        if (random_below(++count) == 0)
            chosen = w;
    CHECK(count == o->waiting);
    return chosen;
}

/* Once in so many times, if that is wanted at all, a condition wait ends unasked. */
void policy_wakes_unasked(void)
{
    struct thr *chosen = NULL;
    uint32_t count = 0;
    if (!rt.set.spurious || random_below(rt.set.spurious))
        return;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (t->state == THR_BLOCKED && t->wait_how == WAIT_COND && t->then &&
            random_below(++count) == 0)
            chosen = t;
    }
    if (chosen)
        sched_wake_unasked(chosen);
}

/* Does it matter which of the two comes first? */
bool place_conflict(const struct place *a, const struct place *b)
{
    bool reads = (a->kind == EV_READ || a->kind == EV_READ_RANGE) &&
                 (b->kind == EV_READ || b->kind == EV_READ_RANGE);
    return a->addr && b->addr && !reads && a->addr < b->addr + (b->len ? b->len : 1) &&
           b->addr < a->addr + (a->len ? a->len : 1);
}
