/* SPDX-License-Identifier: Apache-2.0
 *
 * stores: who reads what in a run with weak atomics, and the order in which the stores of each
 * object take effect. */
#ifndef EXPLORE_STORES_H
#define EXPLORE_STORES_H

#include "explore/explore.h"

/* One store, or what was there before. */
struct stored {
    uint32_t step; /* NONE: nobody's */
    uint32_t before, next;
};

struct stores {
    VEC(struct stored) all;
    struct map newest; /* address -> number */
    struct map of;     /* event -> number */
};

void stores_done(struct stores *s);
/* What an atomic access of this address reads: as event `stale` says, if there is one. */
uint32_t stores_read(struct stores *s, uint64_t addr, const uint64_t *stale);
/* Event `number` stores, in this step: behind that store, or where event `early` says. */
void stores_add(struct stores *s, uint64_t addr, uint64_t number, uint32_t step,
                uint32_t behind, const uint64_t *early);
/* Puts into what its steps did what they read, and behind what they stored: that is the same
 * in all equivalent runs, whatever the number of the choice. */
void stores_hash(const struct stores *s, struct explore_run *run);

#endif
