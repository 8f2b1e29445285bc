/* SPDX-License-Identifier: Apache-2.0
 *
 * points: what the policy `exhaustive` and the host tell each other. The plan says whom to
 * choose, one entry per choice; the log says what was chosen and what else could have been.
 * Both live as long as a run and are never kept. */
#ifndef HEDDLE_POINTS_H
#define HEDDLE_POINTS_H

#include <stdint.h>

#define POINTS_MAGIC 0x2153544e494f5048ULL /* "HPOINTS!" */

struct points_plan {
    uint64_t magic;
    uint32_t pick_count, sleep_count; /* so many threads follow, then so many that sleep */
};

struct points_head {
    uint64_t magic;
    uint64_t used_bytes; /* written last, behind every record; the head counts */
    uint64_t clock;      /* address that stands for the time */
    uint64_t full;       /* there was no room for more */
    uint64_t weak;       /* atomics may read stale stores and store early */
    uint64_t left_out;   /* weak: not everything that is allowed was offered */
};

enum {
    POINT_CHOICE = 1,  /* no switch: the signal wakes thr */
    POINT_TIMEOUT = 2, /* thr's wait is made to time out */
    POINT_AT = 4,      /* `from` stands at a point, and this is what it is about to do */
    POINT_TIMED = 8,   /* `from` waits for a limited time */
    POINT_WATCH = 16,  /* what it does at its point may leave no event */
    POINT_WEAK = 64,   /* with CHOICE: no thread, but which store an atomic access meets */
    POINT_WAITS = 32,  /* it may have to wait there for somebody to give something back */
};

/* One choice. option_count thread numbers follow, filled up to 8 bytes. */
struct point_record {
    uint64_t event; /* number of the next event */
    uint64_t addr, len;
    uint32_t thr;
    uint32_t from, from_kind;
    uint16_t flags, option_count;
};

#endif
