/* SPDX-License-Identifier: Apache-2.0
 *
 * causes: which accesses, in which order, bring a failure about. Suspects are what failing runs
 * have more often than passing ones; a suspect is a cause if runs in which it is avoided no
 * longer fail, and runs in which it is brought about do (docs/decisions/040-causes.md). */
#ifndef CAUSES_CAUSES_H
#define CAUSES_CAUSES_H

#include "finding/finding.h"
#include "guards/guards.h"

enum { CAUSE_STEPS_MAX = 8, CAUSE_PATTERNS = 17 };

enum cause_kind {
    CAUSE_PATTERN,  /* one of the 17 of PFix's table 2 */
    CAUSE_DEADLOCK, /* locks taken in a circle: for each thread, one held and one wanted */
    CAUSE_WAKEUP,   /* a signal, then the wait that it was meant for */
};

enum cause_action { CAUSE_READ, CAUSE_WRITE, CAUSE_LOCK, CAUSE_WANT, CAUSE_SIGNAL, CAUSE_WAIT };

struct cause_step {
    enum cause_action action;
    uint32_t thread;   /* a pattern's: 0 = the first one's, 1 = the other one's */
    uint32_t variable; /* a pattern's: 0 = x, 1 = y; a deadlock's: which lock */
    struct code_site site;
    struct code_stack stack;
};

/* How often it was tried, and how often that did it. */
struct cause_trials {
    uint32_t tried, hit;
    const char *why; /* not tried: why; else "" */
};

struct cause {
    enum cause_kind kind;
    uint32_t pattern; /* 1 to 17; 0 if it is none of these */
    uint32_t failure; /* index of the failure that it explains */
    uint32_t step_count, variable_count;
    struct cause_step steps[CAUSE_STEPS_MAX];
    const char *variables[CAUSE_STEPS_MAX]; /* "accounts.amount", "heap(pool.c:33).next" */
    uint32_t fail, pass;       /* runs that have it; failures of another kind aside */
    double score;              /* equation 1: fail / (fail + pass) */
    double bound;              /* what it is at least, with 95 % confidence (Wilson 1927) */
    struct cause_trials flip;  /* avoided in runs that failed: hit = it no longer failed */
    struct cause_trials force; /* brought about in runs that passed: hit = it failed */
};

static inline bool cause_is_necessary(const struct cause *c)
{
    return c->flip.tried > 0 && c->flip.hit == c->flip.tried;
}

static inline bool cause_is_sufficient(const struct cause *c)
{
    return c->force.tried > 0 && c->force.hit == c->force.tried;
}

/* All runs that failed in the same way. */
struct cause_failure {
    const char *kind; /* "exit 1", "assert bank.c:40" */
    const char *run;  /* directory of the first such run; "": one of a patched program */
    const char *text; /* its outcome, in one line */
    uint8_t outcome;  /* OUTCOME word */
    uint64_t count;
};

struct causes {
    struct arena mem;
    uint64_t runs, failed, passed, tries; /* tries: runs made to intervene */
    VEC(struct cause_failure) failures;   /* the most frequent first */
    VEC(struct cause) causes;             /* by failure, then the best first */
    const char *passing;                  /* directory of a run that passed, or NULL */
    VEC(const char *) ran;                /* functions that some run called */
};

/* Explores, mines, ranks, intervenes. No failure: out->failures is empty. Runs that it tells of
 * are kept in the program's store. */
int causes_find(struct causes *out, const struct seek_runs *opts, struct err *err);
void causes_done(struct causes *c);
/* Leaves out failures of these harms (a set), and what explains them. */
void causes_leave(struct causes *c, uint32_t harms);
const char *cause_action_text(enum cause_action a); /* "read" */
/* Causes that a finding names, for who has a finding and no failing runs. */
void causes_of_finding(struct causes *out, const struct finding *f,
                       const struct guards *guards);
/* 1: locks are taken in a circle in this run, or one is never given back. */
int causes_circle(const char *directory, struct err *err);

#endif
