/* SPDX-License-Identifier: Apache-2.0
 *
 * patterns: the 17 memory-access patterns of PFix, table 2, in one run.
 *
 * The table says which accesses of which two threads follow each other; it does not say how
 * far apart they may be, and taken literally a run of n accesses has n^4 of them. Here:
 *   1-3    nobody writes x between the two;
 *   4-8    the two accesses of one thread are at most PATTERN_LOCAL of its accesses to x apart,
 *          no access between them is of the first one's site, and the other thread's is its
 *          last of that sort between them;
 *   9-17   each pair of accesses to the same variable is one of 1-3, and each thread's two are
 *          at most PATTERN_NEAR of its accesses to shared memory apart. */
#ifndef CAUSES_PATTERNS_H
#define CAUSES_PATTERNS_H

#include "model/model.h"

enum { PATTERN_LOCAL = 4, PATTERN_NEAR = 12, PATTERN_STEPS = 4 };

/* One row of the table: which thread and variable each step has, and whether it writes. */
struct pattern_row {
    uint32_t count;
    struct pattern_step {
        uint8_t thread, variable;
        bool writes;
    } step[PATTERN_STEPS];
};

extern const struct pattern_row pattern_rows[18]; /* by number; 0 is not used */

struct mined {
    uint32_t pattern;
    ev_id ev[PATTERN_STEPS];
    cell_id cell[2];
};

typedef void (*pattern_visit)(void *arg, const struct mined *m);

/* Each of them, as often as it is there. */
void patterns_mine(const struct model *m, pattern_visit visit, void *arg);

#endif
