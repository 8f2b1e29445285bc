/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat: finding the cycle. The events that said nothing new and stand one behind the other
 * are kept in a ring; the first of them is the anchor. When it comes again, the cycle may be as
 * long as the way to it; when all of the cycle has come again, it is one. */
#include "rt/repeat.h"

enum {
    STILL_MAX_BYTES = 16, /* of an event that says nothing new; less than a block's head */
    WASTED_MAX = 8,
    PATIENCE_MAX = 64,
};

static bool is_same(const struct repeat_event *a, const struct repeat_event *b)
{
    return a->site == b->site && a->what == b->what && a->value == b->value;
}

/* The last `period` events of the ring are the cycle. */
static void begin(struct repeat *r)
{
    struct trace_writer *w = &rt.trace;
    CHECK(r->period > 0 && r->period <= REPEAT_MAX && r->len >= r->period);
    uint32_t first = r->len - r->period;
    uint64_t bytes = (uint64_t)(w->at - r->ring[first % REPEAT_RING].start);
    if (r->count > WASTED_MAX)
        r->patience = 1;
    else if (r->patience < PATIENCE_MAX)
        r->patience *= 2;
    r->skipped += repeat_skips();
    r->count = 0;
    bool everything = rt.everything;
    record_limits();
    if (!rt.accesses || rt.everything != everything || bytes > UINT16_MAX)
        return;
    r->counter = trace_put_repeat(w, (uint8_t)r->period, (uint16_t)bytes);
    if (!r->counter)
        return;
    for (uint32_t i = 0; i < r->period; i++) {
        struct repeat_event *e = &r->ring[(first + i) % REPEAT_RING];
        e->then = &r->ring[(first + (i + 1) % r->period) % REPEAT_RING];
    }
    r->next = &r->ring[first % REPEAT_RING];
    r->end = w->at;
    CHECK(r->counter < w->at && bytes >= r->period);
    r->cycle = r->period;
    r->cycle_bytes = (uint32_t)bytes;
}

void repeat_start(void)
{
    rt.repeat.next = rt.repeat.ring;
    rt.repeat.patience = 1;
}

/* The one before it said nothing new either, and ends where this one starts. */
void repeat_add(const uint8_t *start, const struct __heddle_site *site, uint64_t what,
                uint64_t value)
{
    struct repeat *r = &rt.repeat;
    const uint8_t *at = rt.trace.at;
    if ((uint64_t)(at - start - 1) >= STILL_MAX_BYTES || !rt.set.repeat)
        return; /* it stands in another block */
    if (r->len == 0)
        r->anchor = r->period = 0;
    r->tail = at;
    struct repeat_event *e = &r->ring[r->len % REPEAT_RING];
    *e = (struct repeat_event){site, what, value, start, NULL, rt.trace.guess.site};
    uint32_t here = r->len++;
    if (r->period && is_same(e, &r->ring[(here - r->period) % REPEAT_RING])) {
        if (++r->matched >= r->period * r->patience)
            begin(r);
        return;
    }
    r->period = 0;
    if (here - r->anchor > REPEAT_MAX || here == 0)
        r->anchor = here;
    else if (is_same(e, &r->ring[r->anchor % REPEAT_RING])) {
        r->period = here - r->anchor;
        r->matched = 1;
        if (r->matched >= r->period * r->patience)
            begin(r);
    }
}
