/* SPDX-License-Identifier: Apache-2.0
 *
 * suspect: suspicious violations: orders of accesses that no serial execution of the threads'
 * work could show, and that the run before did show or that the change has just forbidden
 * (Shi et al. 2016, table 1 and algorithm 1). */
#ifndef VERIFY_SUSPECT_H
#define VERIFY_SUSPECT_H

#include "verify/order.h"

enum violation_state {
    VIOLATION_OPEN,
    VIOLATION_EXCLUDED, /* no order of the trace's events has it */
    VIOLATION_PASSED,   /* a run had it, and went well */
    VIOLATION_AWAY,     /* runs that were made for it went another way, and well */
    VIOLATION_LEFT,     /* nobody knows */
};

/* e[0] before e[1], and e[1] before e[2] (patterns 1 to 5: one variable) or e[2] before e[3]
 * (6 to 8: two variables). e[0] and the last one are of one thread, what is between of the
 * other. */
struct violation {
    ev_id e[4];
    uint8_t pattern; /* 1 to 8 */
    uint8_t state;
    bool is_likely; /* its variables are used together elsewhere */
    uint32_t tries; /* schedules with it that did not show it */
    uint32_t tested_alike;
    uint32_t seen_in; /* number of a run that had all of it, in another order; 0: none */
    uint32_t alike;   /* instances at the same places that it stands for, itself too */
    uint64_t places;
    uint32_t late;   /* place in the failing run of its last event: that ended in the failure */
    sync_id lock;    /* excluded: by this one; NONE: by the threads' own order */
    const char *why; /* excluded otherwise, left: why; else NULL */
};
typedef VEC(struct violation) violations;

struct suspect_opts {
    const uint32_t *rank; /* by event: its place in the failing run before; NONE: not there */
    uint32_t alike_max;   /* instances kept for the same places; 0: all */
    uint32_t max;         /* violations; 0: no limit */
    bool observed;        /* only orders that the run had, none that sections may turn round;
                             of those at the same places the ones with the least span */
};

/* Appends them; of those at the same places the last ones of the failing run. True: there are
 * more than the limit. */
bool suspect_find(violations *out, const struct model *m, const struct must *must,
                  const struct suspect_opts *opts);

/* The two pairs of its order. */
void violation_pairs(const struct violation *v, ev_id out[2][2]);
static inline uint32_t violation_count(const struct violation *v)
{
    return v->pattern <= 5 ? 3 : 4;
}

/* What lies between its accesses in the thread that does more in between. */
uint32_t violation_span(const struct model *m, const struct violation *v);

/* Sets what mutual exclusion and must-happen-before leave no room for to EXCLUDED. */
void suspect_refute(violations *all, const struct must *must);

/* ---- which to try together --------------------------------------------------------------- */

typedef VEC(uint32_t) violation_group; /* indices */

/* As many open ones as fit into one order, the most urgent first. */
void suspect_group(violation_group *out, const violations *all, const struct must *must,
                   struct order *order);

#endif
