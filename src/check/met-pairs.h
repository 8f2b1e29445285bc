/* SPDX-License-Identifier: Apache-2.0
 *
 * met-pairs: which places of the program have met in the runs so far: two threads, one behind
 * the other at the same memory or lock, one of them changing it. A schedule under which no new
 * ones meet is likely to show nothing that those before it did not. */
#ifndef CHECK_MET_PAIRS_H
#define CHECK_MET_PAIRS_H

#include "base/map.h"
#include "trace/trace.h"

struct met_pairs {
    struct map seen; /* by hash of the two places, in their order */
};

/* How many meet in this run that had not met before. */
uint32_t met_pairs_add(struct met_pairs *p, const char *run);
void met_pairs_done(struct met_pairs *p);

#endif
