/* SPDX-License-Identifier: Apache-2.0
 *
 * fix: from a failure to a patch (Lin and others, "PFix", 2018; where we leave it:
 * docs/decisions). Two questions come first, and each has a command of its own:
 *
 *   causes   which accesses, in which order, bring the failure about
 *   guards   which lock guards what
 *
 * Everything that is told lives in the arena of what it is told in. */
#ifndef FIX_FIX_H
#define FIX_FIX_H

#include "finding/finding.h"
#include "base/arena.h"
#include "run/run.h"

/* ---- places ----------------------------------------------------------------------------- */

struct fix_site {
    const char *file, *function; /* "" if not known */
    const char *name;            /* variable, field or callee, or "" */
    uint32_t line, column, statement;
    uint32_t unit, ordinal; /* which site of which unit: two of one line differ in this */
};

/* Functions that were active, the outermost first; the step's own is the last. Empty if the
 * program does not tell. */
struct fix_stack {
    const struct fix_site *frames; /* each: the function, at the line where it begins */
    uint32_t depth;
};

/* ---- names ------------------------------------------------------------------------------ *
 * Variables and locks have names that tell objects apart in all runs: "inv(cap.cpp:33).stock",
 * "heap(pool.c:12).count". These are for people: "inv.stock", "count (made at pool.c:12)". */

void fix_words(struct str *out, const char *name);
/* The same of a lock: "a lock in inv" if the name does not say which. */
void fix_lock_words(struct str *out, const char *name);

/* ---- causes ----------------------------------------------------------------------------- */

enum { FIX_STEPS_MAX = 8, FIX_PATTERNS = 17 };

enum fix_kind {
    FIX_PATTERN,  /* one of the 17 of PFix's table 2 */
    FIX_DEADLOCK, /* locks taken in a circle: for each thread, one held and one wanted */
    FIX_WAKEUP,   /* a signal, then the wait that it was meant for */
};

enum fix_action { FIX_READ, FIX_WRITE, FIX_LOCK, FIX_WANT, FIX_SIGNAL, FIX_WAIT };

struct fix_step {
    enum fix_action action;
    uint32_t thread;   /* a pattern's: 0 = the first one's, 1 = the other one's */
    uint32_t variable; /* a pattern's: 0 = x, 1 = y; a deadlock's: which lock */
    struct fix_site site;
    struct fix_stack stack;
};

/* How often it was tried, and how often that did it. */
struct fix_trials {
    uint32_t tried, hit;
    const char *why; /* not tried: why; else "" */
};

struct fix_cause {
    enum fix_kind kind;
    uint32_t pattern; /* 1 to 17; 0 if it is none of these */
    uint32_t failure; /* index of the failure that it explains */
    uint32_t step_count, variable_count;
    struct fix_step steps[FIX_STEPS_MAX];
    const char *variables[FIX_STEPS_MAX]; /* "accounts.amount", "heap(pool.c:33).next" */
    uint32_t fail, pass;     /* runs that have it; failures of another kind aside */
    double score;            /* equation 1: fail / (fail + pass) */
    double bound;            /* what it is at least, with 95 % confidence (Wilson 1927) */
    struct fix_trials flip;  /* avoided in runs that failed: hit = it no longer failed */
    struct fix_trials force; /* brought about in runs that passed: hit = it failed */
};

static inline bool fix_is_necessary(const struct fix_cause *c)
{
    return c->flip.tried > 0 && c->flip.hit == c->flip.tried;
}

static inline bool fix_is_sufficient(const struct fix_cause *c)
{
    return c->force.tried > 0 && c->force.hit == c->force.tried;
}

/* All runs that failed in the same way. */
struct fix_failure {
    const char *kind; /* "exit 1", "assert bank.c:40" */
    const char *run;  /* directory of the first such run */
    const char *text; /* its outcome, in one line */
    uint8_t outcome;  /* OUTCOME word */
    uint64_t count;
};

struct fix_causes {
    struct arena mem;
    uint64_t runs, failed, passed, tries; /* tries: runs made to intervene */
    VEC(struct fix_failure) failures;     /* the most frequent first */
    VEC(struct fix_cause) causes;         /* by failure, then the best first */
    const char *passing;                  /* directory of a run that passed, or NULL */
    VEC(const char *) ran;                /* functions that some run called */
};

struct fix_opts {
    char *const *argv;
    struct run_opts run;       /* oracle, expect, timeout, seed */
    struct run_pool_opts pool; /* jobs, in_place, before_each */
    uint64_t runs;             /* to look for failing and passing runs; 0: the default */
    uint32_t tests;            /* causes to intervene for, of each failure; 0: the default */
    struct fix_guards *guards; /* causes: filled from the same runs; NULL: not wanted */
    void (*progress)(const char *what, uint64_t done); /* may be NULL */
};

/* Explores, mines, ranks, intervenes. No failure: out->failures is empty. Runs that it tells of
 * are kept in the program's store. */
int fix_causes(struct fix_causes *out, const struct fix_opts *opts, struct err *err);
void fix_causes_done(struct fix_causes *c);
const char *fix_action_text(enum fix_action a); /* "read" */

/* ---- guards ----------------------------------------------------------------------------- */

enum fix_bond {
    FIX_BOND_NONE,   /* no lock is held at half of the accesses, or at all changes */
    FIX_BOND_GLOBAL, /* one lock for all */
    FIX_BOND_OWN,    /* each object has its own, in itself: acc->lock guards acc->amount */
    FIX_BOND_INDEX,  /* locks[i] guards rows[i] */
    FIX_BOND_OTHER,  /* each object has one, in another object */
};

struct fix_use {
    struct fix_site site;
    bool writes;
    uint64_t count, guarded; /* accesses by it, and how many held the lock */
};

struct fix_guard {
    const char *variable;      /* "balance", "accounts.amount", "heap(bank.c:31).balance" */
    const char *object;        /* "accounts", "heap(bank.c:31)": what the variable is part of */
    const char *field;         /* "amount"; "" if it is the whole object */
    struct fix_site allocated; /* heap: where */
    bool is_heap, is_stack;
    enum fix_bond bond;
    const char *lock;          /* "m", "accounts.lock", "heap(bank.c:31).lock"; "" if none */
    struct fix_site locked_at; /* a call that takes it, for its spelling */
    bool is_shared;            /* some hold it only for reading */
    VEC(struct fix_use) uses;  /* sites, those that break it first */
    uint32_t sites, guarded_sites;
    uint64_t accesses, guarded;
};

struct fix_guards {
    struct arena mem;
    uint64_t runs;
    VEC(struct fix_guard) guards; /* by variable */
};

/* From runs that it makes. */
int fix_guards(struct fix_guards *out, const struct fix_opts *opts, struct err *err);
/* From runs that were recorded; their directories, NULL ends. */
int fix_guards_of(struct fix_guards *out, const char *const *runs, struct err *err);
void fix_guards_done(struct fix_guards *g);
const char *fix_bond_text(enum fix_bond b); /* "own" */
/* A diff that writes the table into the program's source, as GUARDED_BY; notes: what it leaves
 * out, one line each. */
int fix_annotate(struct str *out, struct str *notes, const struct fix_guards *g,
                 const char *program, struct err *err);

#include "fix/repair.h"

#endif
