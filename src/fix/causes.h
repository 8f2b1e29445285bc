/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of causes, private to fix/:
 *
 *   causes-run.c     one run in memory: its events, its model, the stacks they happened in
 *   causes-possible.c what runs have: patterns by their sites
 *   causes-stuck.c   threads that wait for ever: locks in a circle, signals too early
 *   causes-explore.c runs under changing policies
 *   causes-gather.c  runs that fail and runs that pass
 *   causes-order.c   the events of a run in another order, near to the recorded one
 *   causes-place.c   where in a run a possible cause is or could be; what would change that
 *   causes-try.c     interventions: the run again in that order
 *   causes.c         ranking; all together */
#ifndef FIX_CAUSES_H
#define FIX_CAUSES_H

#include "fix/fix.h"
#include "fix/patterns.h"

/* ---- what several runs share ------------------------------------------------------------ */

/* The same site has the same number in all runs, and so has the same stack. */
struct site_table {
    struct arena *mem; /* borrowed */
    VEC(struct fix_site) sites;
    VEC(uint32_t) before;          /* by site: an older one with the same hash */
    struct map by_hash;            /* hash -> the newest with it */
    VEC(uint32_t) outer, function; /* by stack: the one around it or NONE, its function */
    struct map stacks;             /* outer, function -> stack */
};

uint32_t site_number(struct site_table *t, const struct def_site *s);
struct fix_stack stack_told(const struct site_table *t, uint32_t stack);
void site_table_done(struct site_table *t);

/* ---- one run ---------------------------------------------------------------------------- */

/* An event of the trace, as far as its order with others matters. */
struct happening {
    uint8_t kind, flags;
    uint16_t thr;
    uint32_t site, stack; /* in the tables */
    uint32_t peer;        /* create, join */
    uint32_t object;      /* sync: dense number; else NONE */
    uint32_t depth;       /* acquire: reached; release: left */
    uint32_t ref;         /* wait-leave: what woke it, or NONE */
    /* The time in which its thread holds any lock; the event itself if it holds none. */
    uint32_t held_first, held_last;
};

struct fix_run {
    struct trace trace;
    struct model *model;
    struct arena mem;
    const char **fields;  /* by cell, see names.h */
    struct happening *ev; /* by number of the event */
    uint32_t ev_count, object_count, thread_count;
    VEC(uint64_t) objects; /* addresses */
    uint32_t failure;      /* NONE: it passed */
    uint32_t id;
};

/* NULL: its trace cannot be read. */
struct fix_run *fix_run_open(const char *directory, struct site_table *sites, struct err *err);
/* Fills ev and what goes with it from the trace. */
int fix_run_read(struct fix_run *r, struct site_table *sites, struct err *err);
void fix_run_free(struct fix_run *r);

/* ---- possible causes ------------------------------------------------------------------- */

struct possible_cause {
    enum fix_kind kind;
    uint32_t pattern, count;
    uint32_t site[FIX_STEPS_MAX];
    /* of the first run that has it */
    uint32_t stack[FIX_STEPS_MAX];
    const char *variables[FIX_STEPS_MAX];
};

/* What became of one run. */
struct verdict_row {
    uint32_t failure;   /* NONE: it passed */
    VEC(uint32_t) keys; /* of the possible that it has, ascending */
};

struct gathered {
    struct fix_causes *out;
    struct site_table sites;
    VEC(struct possible_cause) possible;
    VEC(uint32_t) before; /* by possible cause: an older one with the same hash */
    struct map by_hash;
    VEC(struct verdict_row) rows;
    VEC(struct fix_run *) failing, passing; /* kept for interventions */
};

/* The number of what has this kind, pattern and these sites; new: it was not there, and waits
 * for its stacks and names. */
uint32_t possible_number(struct gathered *g, const struct possible_cause *wanted, bool *is_new);
/* Enters what the run has. */
void possible_of(struct gathered *g, const struct fix_run *r, struct verdict_row *row);
void possible_stuck(struct gathered *g, const struct fix_run *r, struct verdict_row *row);

/* Takes a look at a run that has ended; *enough: no more are needed. */
typedef int (*look_fn)(void *arg, struct run_done *d, bool *enough, struct err *err);
int explore_runs(const struct fix_opts *opts, uint64_t most, look_fn look, void *arg,
                 struct err *err);

/* Brings about the deadlocks that passing runs could have had. */
int causes_provoke(struct gathered *g, const struct fix_opts *opts, look_fn look, void *arg,
                   struct err *err);

int causes_gather(struct gathered *g, const struct fix_opts *opts, struct err *err);
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
int order_make(event_order *out, const struct fix_run *r, const struct wish *w);

/* ---- places ----------------------------------------------------------------------------- */

/* A wish, and the events that it is about, in the order in which they are to happen. */
struct plan {
    struct wish wish;
    uint32_t ev[FIX_STEPS_MAX], count;
};

/* So that the run does not have it. False: it has not. */
bool plan_flip(struct plan *out, const struct fix_run *r, const struct possible_cause *s);
/* So that the run has it, at the n-th best place. False: there is no such place. */
bool plan_force(struct plan *out, const struct fix_run *r, const struct possible_cause *s,
                uint32_t n);
void plan_done(struct plan *p);
/* The same for threads that wait for ever. */
bool stuck_flip(struct plan *out, const struct fix_run *r, const struct possible_cause *s);
bool stuck_force(struct plan *out, const struct fix_run *r, const struct possible_cause *s,
                 uint32_t n);
/* Locks that the run takes in a circle, though not at the same time: all at once. */
bool plan_circle(struct plan *out, const struct fix_run *r, uint32_t n);
/* Does a thread end that has not given back a lock? */
bool run_keeps_lock(const struct fix_run *r);
/* p before q; if both hold the same lock, one section before the other. */
void wish_before(struct wish *w, const struct fix_run *r, uint32_t p, uint32_t q);

/* ---- interventions ---------------------------------------------------------------------- */

/* Fills flip and force of the causes; possible[i] is what causes[i] came from. */
int causes_intervene(struct gathered *g, struct fix_cause *causes, const uint32_t *possible,
                     uint32_t count, const struct fix_opts *opts, struct err *err);

#endif
