/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat: a loop that finds in shared memory what it found there the time before is not written
 * out time after time. Once a cycle of accesses and branches has come round twice without any
 * change, a record that says so is put into the trace, and every further event of the cycle
 * only counts it up. Nothing is lost: a reader gets the same events (docs/format.md), and a
 * process that is killed leaves a counter that is right.
 *
 * An event goes on with the cycle if it is the next one in it, in all that the trace would say,
 * and nothing else has been written since (the trace stands where the record ended). What the
 * trace's guesses and seen.h would learn from it, they know. */
#ifndef RT_REPEAT_H
#define RT_REPEAT_H

#include "rt/rt.h"

#define REPEAT_BRANCH (1ULL << 63)

/* Address and kind of an access in one word: addresses of the target have 47 bits. */
static inline uint64_t repeat_access(const void *addr, unsigned is_write, unsigned size_log2)
{
    return (uint64_t)(uintptr_t)addr | (uint64_t)(4 | is_write << 3 | size_log2) << 56;
}

/* True: the event is in the trace now. */
static inline __attribute__((always_inline)) bool
repeat_goes_on(const struct thr *t, const struct __heddle_site *site, uint64_t what,
               uint64_t value)
{
    struct repeat *r = &rt.repeat;
    const struct repeat_event *e = r->next;
    if (r->end != rt.trace.at || e->what != what || e->site != site || e->value != value ||
        rt.trace.guess.thr != t->id)
        return false;
    uint32_t count = ++r->count;
    r->next = e->then;
    rt.trace.guess.site = e->id;
    rt.trace.event_count++;
    trace_repeat_count(r->counter, count);
    if (UNLIKELY(count == REPEAT_COUNT_MAX))
        r->end = NULL;
    return true;
}

void repeat_start(void);
void repeat_add(const uint8_t *start, const struct __heddle_site *site, uint64_t what,
                uint64_t value);

/* An event has been written at start, and says that nothing has changed. The first one of a row
 * is not looked at: mostly no other follows. */
static inline void repeat_learn(const uint8_t *start, const struct __heddle_site *site,
                                uint64_t what, uint64_t value)
{
    struct repeat *r = &rt.repeat;
    if (start == r->tail) {
        repeat_add(start, site, what, value);
        return;
    }
    r->tail = rt.trace.at;
    r->len = 0;
}

/* Bytes that the last one saved, roughly. */
static inline uint64_t repeat_skips(void)
{
    const struct repeat *r = &rt.repeat;
    return r->cycle ? (uint64_t)r->count * r->cycle_bytes / r->cycle : 0;
}

/* Something has changed of which the trace says nothing. */
static inline void repeat_break(void)
{
    rt.repeat.end = NULL;
}

#endif
