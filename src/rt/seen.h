/* SPDX-License-Identifier: Apache-2.0
 *
 * seen: what the last recorded accesses left in memory, as far as a small table remembers. A
 * read that finds something else tells that somebody wrote whom we do not see: the kernel, a
 * library that is not instrumented. An external-write then goes before it. */
#ifndef RT_SEEN_H
#define RT_SEEN_H

#include "rt/repeat.h"
#include "rt/rt.h"

enum { SEEN_COUNT = 1 << 16 };

/* Eight bytes of the target: their address / 8, a bit for each byte that is known, contents,
 * and how many events the trace had then. */
struct seen {
    uint64_t tag, value, event;
};

static inline __attribute__((always_inline)) struct seen *seen_at(uint64_t unit)
{
    return &rt.seen[(unit ^ unit >> 16) & (SEEN_COUNT - 1)];
}

/* Bit of the first byte within its unit. Aligned: a constant for eight bytes. */
static inline __attribute__((always_inline)) unsigned seen_shift(uint64_t addr, unsigned size)
{
    return size == 8 ? 0 : (unsigned)(addr & 7) * 8;
}

static inline __attribute__((always_inline)) uint64_t seen_tag(uint64_t addr, unsigned size)
{
    uint64_t bytes = (1ULL << size) - 1;
    return addr >> 3 << 8 | (size == 8 ? bytes : bytes << (addr & 7));
}

/* An aligned access of 1, 2, 4 or 8 bytes that leaves a value. */
static inline __attribute__((always_inline)) void seen_write(uint64_t addr, unsigned size,
                                                             uint64_t value)
{
    struct seen *e = seen_at(addr >> 3);
    uint64_t tag = seen_tag(addr, size);
    unsigned shift = seen_shift(addr, size);
    uint64_t bits = fmt_low_bytes(UINT64_MAX, size) << shift;
    uint64_t before = (e->tag ^ tag) >> 8 ? 0 : e->tag;
    e->tag = size == 8 ? tag : before | tag;
    e->event = rt.trace.event_count;
    e->value = size == 8 ? value : (e->value & ~bits) | fmt_low_bytes(value, size) << shift;
}

static inline __attribute__((always_inline)) bool seen_knows(uint64_t addr, unsigned size)
{
    uint64_t tag = seen_tag(addr, size);
    return (seen_at(addr >> 3)->tag & (~255ULL | tag)) == tag;
}

/* The value is known, and is this one. */
static inline __attribute__((always_inline)) bool seen_has(uint64_t addr, unsigned size,
                                                           uint64_t value)
{
    return seen_knows(addr, size) &&
           fmt_low_bytes(seen_at(addr >> 3)->value >> seen_shift(addr, size), size) == value;
}

/* One that finds a value. Not NO_EVENT: it is not what was left there, by the event before this
 * one. */
static inline uint64_t seen_read(uint64_t addr, unsigned size, uint64_t value)
{
    bool is_new = seen_knows(addr, size) && !seen_has(addr, size, value);
    uint64_t event = seen_at(addr >> 3)->event;
    seen_write(addr, size, value);
    return is_new ? event : NO_EVENT;
}

/* These bytes may have changed in a way that is recorded otherwise. */
static inline void seen_forget(uint64_t addr, uint64_t len)
{
    uint64_t first = addr >> 3, end = (addr + len + 7) >> 3;
    if (UNLIKELY(end - first > SEEN_COUNT)) {
        __builtin_memset(rt.seen, 0, SEEN_COUNT * sizeof *rt.seen);
        repeat_break();
        return;
    }
    for (uint64_t unit = first; unit < end; unit++)
        if (seen_at(unit)->tag >> 8 == unit) {
            seen_at(unit)->tag = 0;
            repeat_break();
        }
}

#endif
