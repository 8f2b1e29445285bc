/* SPDX-License-Identifier: Apache-2.0
 *
 * frames: the lives of variables on the stack, those whose addresses escape. A frame that is
 * left ends them as free ends a block, and who uses them then uses nothing. But the next call
 * puts a frame there: what others find at the same address may be a variable of its own, and
 * not all of these are told of (arguments that are copied, code that is not instrumented). So
 * before others run, what has ended and has a frame over it begins to live anew, as something
 * that has no name. */
#include "rt/rt.h"

static void begins(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    record_event(t, &(struct ev){.kind = EV_STACK_ENTER, .addr = addr, .len = len}, site);
}

static void forget(struct thr *t, uint32_t i)
{
    t->ended[i] = t->ended[--t->ended_count];
}

void frames_begin(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    begins(t, addr, len, site);
    for (uint32_t i = t->ended_count; i-- > 0;)
        if (t->ended[i].low >= addr && t->ended[i].high <= addr + len)
            forget(t, i);
}

/* A function that was inlined has the frame of the one it is in, and ends where that does. */
static struct ended ended_of(const struct thr *t, uint64_t addr, uint64_t len)
{
    struct ended e = {.low = addr, .high = addr + len};
    if (!t->depth || t->depth > LOWS_MAX || addr < t->lows[t->depth - 1])
        return e;
    e.frame_low = t->lows[t->depth - 1];
    for (e.depth = t->depth; e.depth > 1 && t->lows[e.depth - 2] == e.frame_low;)
        e.depth--;
    e.frame = t->frames[e.depth - 1];
    return e;
}

/* Code that is not instrumented has frames of which nobody knows how far they reach. */
void frames_end(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    record_event(t, &(struct ev){.kind = EV_STACK_LEAVE, .addr = addr}, site);
    if (rt.has_strangers || t->ended_count == ENDED_MAX)
        begins(t, addr, len, NULL);
    else
        t->ended[t->ended_count++] = ended_of(t, addr, len);
}

/* Where the frames of its functions end; below that are ours and those of libc. */
static uint64_t lowest(const struct thr *t)
{
    if (t->depth > LOWS_MAX)
        return 0;
    return t->depth ? t->lows[t->depth - 1] : NEVER;
}

/* Is there a frame over it? Where it ended in its own frame, whatever of that function comes to
 * its place is told of. */
static bool is_covered(const struct thr *t, const struct ended *e)
{
    bool is_same = e->depth && e->depth <= t->depth && t->frames[e->depth - 1] == e->frame &&
                   t->lows[e->depth - 1] == e->frame_low;
    return e->high > lowest(t) && !is_same;
}

/* Others run from here on. */
void frames_part(struct thr *t)
{
    if (t->state == THR_EXITED) {
        t->ended_count = 0;
        return;
    }
    for (uint32_t i = rt.accesses ? t->ended_count : 0; i-- > 0;)
        if (is_covered(t, &t->ended[i])) {
            begins(t, t->ended[i].low, t->ended[i].high - t->ended[i].low, NULL);
            forget(t, i);
        }
}
