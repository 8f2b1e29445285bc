/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of causes, private to it:
 *
 *   causes-possible.c what runs have: patterns by their sites
 *   causes-stuck.c   threads that wait for ever: locks in a circle, signals too early
 *   causes-gather.c  runs that fail and runs that pass
 *   causes-order.c   the events of a run in another order, near to the recorded one
 *   causes-place.c   where in a run a possible cause is or could be; what would change that
 *   causes-try.c     interventions: the run again in that order
 *   causes.c         ranking; all together */
#ifndef CAUSES_GATHER_H
#define CAUSES_GATHER_H

#include "causes/causes.h"
#include "causes/patterns.h"

/* ---- possible causes ------------------------------------------------------------------- */

struct possible_cause {
    enum cause_kind kind;
    uint32_t pattern, count;
    uint32_t site[CAUSE_STEPS_MAX];
    /* of the first run that has it */
    uint32_t stack[CAUSE_STEPS_MAX];
    const char *variables[CAUSE_STEPS_MAX];
};

/* What became of one run. */
struct verdict_row {
    uint32_t failure;   /* NONE: it passed */
    VEC(uint32_t) keys; /* of the possible that it has, ascending */
};

struct gathered {
    struct causes *out;
    struct site_table sites;
    VEC(struct possible_cause) possible;
    VEC(uint32_t) before; /* by possible cause: an older one with the same hash */
    struct map by_hash;
    VEC(struct verdict_row) rows;
    VEC(struct seen_run *) failing, passing; /* kept for interventions */
};

/* The number of what has this kind, pattern and these sites; new: it was not there, and waits
 * for its stacks and names. */
uint32_t possible_number(struct gathered *g, const struct possible_cause *wanted, bool *is_new);
/* Enters what the run has. */
void possible_of(struct gathered *g, const struct seen_run *r, struct verdict_row *row);
void possible_stuck(struct gathered *g, const struct seen_run *r, struct verdict_row *row);

/* Brings about the deadlocks that passing runs could have had. */
int causes_provoke(struct gathered *g, const struct seek_runs *opts, look_fn look, void *arg,
                   struct err *err);

int causes_gather(struct gathered *g, const struct seek_runs *opts, struct err *err);
void gathered_done(struct gathered *g);

/* ---- another order ---------------------------------------------------------------------- */

/* Event `to` has to wait for event `from`. */
struct before {
    uint32_t from, to;
};

/* While a thread is in one of these, no other thread is in one. */
struct stretch {
    uint32_t first, last; /* events of one thread */
};

struct wish {
    VEC(struct before) firsts;
    VEC(struct stretch) stretches;
    VEC(uint32_t) cuts; /* events: their threads stop before them */
};

/* Appends numbers of events. -1: there is no such order. */
typedef VEC(uint64_t) event_order;
int order_make(event_order *out, const struct seen_run *r, const struct wish *w);

/* ---- places ----------------------------------------------------------------------------- */

/* A wish, and the events that it is about, in the order in which they are to happen. */
struct plan {
    struct wish wish;
    uint32_t ev[CAUSE_STEPS_MAX], count;
};

/* So that the run does not have it. False: it has not. */
bool plan_flip(struct plan *out, const struct seen_run *r, const struct possible_cause *s);
/* So that the run has it, at the n-th best place. False: there is no such place. */
bool plan_force(struct plan *out, const struct seen_run *r, const struct possible_cause *s,
                uint32_t n);
void plan_done(struct plan *p);
/* The same for threads that wait for ever. */
bool stuck_flip(struct plan *out, const struct seen_run *r, const struct possible_cause *s);
bool stuck_force(struct plan *out, const struct seen_run *r, const struct possible_cause *s,
                 uint32_t n);
/* Locks that the run takes in a circle, though not at the same time: all at once. */
bool plan_circle(struct plan *out, const struct seen_run *r, uint32_t n);
/* Does a thread end that has not given back a lock? */
bool run_keeps_lock(const struct seen_run *r);
/* p before q; if both hold the same lock, one section before the other. */
void wish_before(struct wish *w, const struct seen_run *r, uint32_t p, uint32_t q);

/* ---- interventions ---------------------------------------------------------------------- */

/* Fills flip and force of the causes; possible[i] is what causes[i] came from. */
int causes_intervene(struct gathered *g, struct cause *causes, const uint32_t *possible,
                     uint32_t count, const struct seek_runs *opts, struct err *err);

#endif
