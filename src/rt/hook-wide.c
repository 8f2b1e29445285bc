/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-wide: what instrumented code says about objects of more than one value, lanes of
 * vectors, hints, and code that it cannot see into. */
#include "rt/rt.h"

EXPORT uint64_t __heddle_hash(const void *addr, uint64_t len)
{
    uint64_t sum = 0, factor = 1;
    for (const uint8_t *at = addr; len; factor *= HEDDLE_HASH_STEP) {
        uint64_t word = 0, part = len < 8 ? len : 8;
        __builtin_memcpy(&word, at, part);
        sum += word * factor;
        at += part;
        len -= part;
    }
    return sum;
}

EXPORT void __heddle_read_lanes(const void *addr, uint32_t bytes, uint64_t mask,
                                struct __heddle_site *site)
{
    for (unsigned i = 0; self && i < 64 && mask >> i; i++) {
        const uint8_t *at = (const uint8_t *)addr + (uint64_t)i * bytes;
        if (!(mask >> i & 1))
            continue;
        if (bytes == 4)
            __heddle_read4(at, site);
        else if (bytes == 8)
            __heddle_read8(at, site);
        else
            __heddle_read_range(at, bytes, site);
    }
}

EXPORT void __heddle_write_lanes(void *addr, uint32_t bytes, uint64_t mask, uint32_t is_over,
                                 struct __heddle_site *site)
{
    for (unsigned i = 0; self && i < 64 && mask >> i; i++) {
        uint8_t *at = (uint8_t *)addr + (uint64_t)i * bytes;
        if (!(mask >> i & 1))
            continue;
        if (is_over)
            __heddle_write_range(at, bytes, site);
        else
            __heddle_write_begin(at, bytes, site);
    }
}

/* As one that yields. */
EXPORT void __heddle_pause(struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    point_at(t, &rt, site);
    sched_yielded(t);
}

/* Each place once. */
EXPORT void __heddle_unseen(struct __heddle_site *site)
{
    char at[256];
    struct text text = {at, 0, sizeof at};
    if (!self || site->flags & HEDDLE_SITE_NAMED)
        return;
    site->flags |= HEDDLE_SITE_NAMED;
    text_put(&text, __heddle_site_text(site, site->name));
    text_put(&text, " at ");
    text_site(&text, site);
    outcome_doubt(DOUBT_UNMODELLED_CALL, at);
}
