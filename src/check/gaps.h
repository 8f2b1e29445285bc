/* SPDX-License-Identifier: Apache-2.0
 *
 * gaps: what of a program Heddle will not see, by name: objects and libraries that are not
 * instrumented, and functions of the C library that it knows nothing of. */
#ifndef CHECK_GAPS_H
#define CHECK_GAPS_H

#include "run/run.h"

enum gap {
    GAP_OBJECT,
    GAP_LIBRARY,
    GAP_MISSING,   /* a library that is not there */
    GAP_FUNCTIONS, /* of the C library, all of them in one */
};

typedef void (*gap_fn)(void *arg, enum gap gap, const char *name, const char *sentence);

void gaps_find(const struct run_program *p, const char *program, gap_fn found, void *arg);

#endif
