/* SPDX-License-Identifier: Apache-2.0
 *
 * explore: all schedules of a program up to equivalence, or all with few preemptions. Two runs
 * are equivalent if they do the same things and order all pairs that conflict in the same way;
 * one run of each class is enough to see everything that can happen.
 *
 *   dpor.c     which schedule comes next, from what the last run did: source sets and sleep
 *              sets (Abdulla, Aronis, Jonsson, Sagonas 2014)
 *   bounded.c  the same for all schedules with at most so many preemptions
 *   conflict.c which steps conflict, and how a run orders them
 *   points.c   what a run did, from the files that it left
 *   stores.c   of a run with weak atomics: who reads what, and the modification orders
 *   explore.c  runs of a program until there is nothing more to try
 *   portfolio.c  where that is too much: which policies to try */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "explore/portfolio.h"
#include "run/run.h"

enum access_mode {
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_TAKE, /* a write that has to wait until the object was given back */
    ACCESS_GIVE, /* a write that ends such waiting */
};

/* An atomic access where any may read old stores, and store early: which of two comes first
 * often makes no difference (conflict.c). */
enum access_weak { WEAK_NOT, WEAK_LOAD, WEAK_STORE, WEAK_CHANGE };

struct access {
    uint64_t obj;
    uint64_t lo, hi; /* bytes of it, lo <= byte < hi */
    uint32_t from;   /* the step whose store it reads, if it is weak; NONE: none */
    uint8_t mode;
    uint8_t weak;  /* enum access_weak */
    bool is_plain; /* of memory, and not atomic */
};

enum {
    STEP_OPAQUE = 1,    /* conflicts with everything */
    STEP_CHOICE = 2,    /* no step of a thread: which waiter a signal wakes */
    STEP_ENDS_WAIT = 4, /* its thread waited and could have been made to stop waiting */
    STEP_GOES_ON = 8,   /* `from` had not begun to wait, nor ended */
};

/* What one thread did between two points. */
struct explore_step {
    uint32_t thr;
    uint32_t flags;
    uint32_t access, access_count; /* in accesses */
    uint32_t option, option_count; /* in options: who else could have been chosen; thr too */
    uint32_t after, after_count;   /* in afters: earlier steps that it had to wait for */
    uint64_t what;                 /* hash of what it did, the same in every equivalent run */
    uint64_t place;                /* hash of where in the program it begins; 0: not known */
    uint32_t from;                 /* whose step came before it */
};

struct explore_run {
    VEC(struct explore_step) steps;
    VEC(struct explore_step) pending; /* what threads would have done next when it ended */
    VEC(struct access) accesses;
    VEC(uint32_t) options, afters;
    bool leaves_out; /* what is weak had not all that is allowed to choose from */
    bool has_sc,
        has_weaker; /* atomic accesses of these orders while there were several threads */
};

void explore_run_done(struct explore_run *r);

/* What to do in the next run: these choices, then anything; those who sleep had better not be
 * chosen before somebody has done what conflicts with what they are about to do. */
struct explore_plan {
    VEC(uint32_t) picks;
    VEC(uint32_t) sleep;
};

struct explore;

/* all: every schedule, equivalent or not; for comparison. */
struct explore *explore_new(bool all);
void explore_free(struct explore *x);
/* Takes a look at the run that the plan led to (the first one: any run) and makes the next
 * plan. False: there is nothing more to try. */
bool explore_next(struct explore *x, const struct explore_run *run, struct explore_plan *plan);

/* The same if the plan could not be followed: it is left out. */
bool explore_skip(struct explore *x, struct explore_plan *plan);

struct explore_count {
    uint64_t runs;
    uint64_t lost;      /* of these: did something else than the same choices led to before */
    uint64_t classes;   /* of complete runs */
    uint64_t redundant; /* runs that turned out to be equivalent to others on the way */
    bool complete;      /* everything was tried */
    bool deep;          /* not, because some run had too many steps */
    bool leaves_out;    /* of what is weak, some run offered less than is allowed */
    bool has_sc, has_weaker; /* atomic accesses of these orders, in any run, among threads */

    /* bounded only */
    bool has_bound; /* all with at most `bound` preemptions were run */
    uint32_t bound;
    uint64_t bound_runs; /* so many, up to equivalence */
    uint64_t races;      /* pairs of plain accesses that nothing orders, in all runs */
};

const struct explore_count *explore_counts(const struct explore *x);

struct bounded;

/* At most so many preemptions; fewer come first. */
struct bounded *bounded_new(uint32_t bound);
void bounded_free(struct bounded *x);
bool bounded_next(struct bounded *x, const struct explore_run *run, struct explore_plan *plan);
bool bounded_skip(struct bounded *x, struct explore_plan *plan);
const struct explore_count *bounded_counts(const struct bounded *x);

/* ---- a program --------------------------------------------------------------------------- */

/* What the run in this directory did. -1 if its files do not say. */
int explore_read(struct explore_run *out, const char *directory, struct err *err);

enum {
    EXPLORE_UNBOUNDED = -1,
    EXPLORE_EVERY = -2
}; /* up to equivalence; for comparison: not */

/* Runs argv until everything with at most `bound` preemptions was tried, or many->runs runs
 * were made. */
int explore_program(struct run_table *out, struct explore_count *count, char *const *argv,
                    const struct run_opts *opts, const struct run_many_opts *many, int bound,
                    struct err *err);

#endif
