/* SPDX-License-Identifier: Apache-2.0
 *
 * verify: does a change really remove a concurrency bug? Two programs, a failing run of the one
 * before; after Shi, Huang, Chen, Xu 2016 (SWAN), and beyond it (docs/verify.md).
 *
 * `fixed` has to be earned: every suspicious violation was excluded by proof, was run and
 * passed, or cannot be reached any more. One that is left makes the verdict `unknown`. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "finding/finding.h"
#include "run/run.h"

enum verify_word { VERIFY_FIXED, VERIFY_BROKEN, VERIFY_UNKNOWN };

const char *verify_word_text(enum verify_word word); /* "fixed" */

/* What showed that it is broken. */
enum verify_found {
    FOUND_NOT,
    FOUND_UNDISTURBED,
    FOUND_SCHEDULE,
    FOUND_SUSPICIOUS,
    FOUND_PREDICTION,
    FOUND_EXPLORATION,
    FOUND_UNASKED,
};

const char *verify_found_text(enum verify_found found); /* "the failing schedule" */

/* A source file that is different in the two programs. */
struct verify_change {
    const char *file, *old_file; /* its names after and before; directories do not matter */
    struct text before, after;   /* borrowed: all of its text */
};

struct verify_opts {
    char *const *before, *const *after; /* programs with their arguments; NULL ends */
    const char *schedule;               /* directory of a failing run of before; NULL: found */
    const char *store;                  /* directory for what is made; it exists */
    const struct verify_change *changes;
    uint32_t change_count;
    struct run_opts run; /* seed, limits, oracle */
    const char *before_each;
    bool in_place;
    uint32_t jobs;
    uint32_t explore;     /* runs with other schedules at the end; 0: none */
    uint32_t tries;       /* runs for suspicious violations, at most; 0: the default */
    uint32_t search;      /* runs to find a failing one of before, at most; 0: the default */
    uint32_t bounded;     /* runs with few preemptions if nothing else decides; 0: none */
    bool takes_findings;  /* a confirmed race or the like of before is failure enough */
    uint32_t timed;       /* runs of each program by itself, for the cost; 0: none */
    bool shrink;          /* a person is to be shown the run that breaks it: make it small */
    bool only_suspicious; /* stop behind them: no prediction, no exploration */
    uint32_t apart;       /* harms of before that are about something else: a set */
};

/* A line of the account: so many violations, and what became of them. */
struct verify_item {
    const char *what; /* "write of x at a.c:3 between read at a.c:9 and write at a.c:10" */
    const char *why;
    uint32_t count;
};
typedef VEC(struct verify_item) verify_items;
typedef VEC(uint64_t) verify_steps; /* numbers of events in a trace, in their order */

/* Another bug of the program after. */
struct verify_beside {
    const char *text; /* one sentence */
    const char *id;   /* of the finding, or the kind of the run that failed */
    enum pattern_id pattern;
    bool is_old; /* the program before has it too */
};

/* What synchronisation costs, in a run that nobody disturbed. */
struct verify_cost {
    uint64_t events, steps_in_sections, sections, longest, contended;
    uint64_t overlaps; /* pairs of threads that both work while the other one does */
    uint64_t time_us;  /* of the program by itself, the shortest run; 0: not known */
};

struct verify_verdict {
    struct arena mem; /* owned: the texts */
    enum verify_word word;
    const char *reason;  /* one sentence */
    const char *failure; /* how the failing run of before ended, or "" */
    const char *failing; /* its directory, or "" */

    /* broken */
    const char *outcome; /* how the run of after ended, or "" */
    enum harm harm;      /* the same */
    const char *details; /* the same in full: who waits for whom, and where; or "" */
    const char *waits;   /* of that: who waits for whom, a line each; or "" */
    enum verify_found found_by;
    const char *violation; /* that it realised, or "" */
    const char *missing;   /* what would be needed, or "" */
    const char *run;       /* its directory, or "" */
    const char *witness;   /* its schedule as a witness file, or "" */
    const char *replay;    /* the command that shows it again, or "" */
    verify_steps steps;    /* of that run, that it is about; none: not known */

    /* the account */
    uint32_t suspicious; /* after merging what is alike; before refuting */
    uint32_t alike;      /* instances that others stand for */
    uint32_t excluded, passed, unreachable, left;
    uint32_t schedules; /* made from suspicious violations */
    uint32_t runs;      /* of after, until it was decided */
    uint32_t searched;  /* runs of before */
    uint32_t explored;  /* runs of after with other schedules, among runs */
    bool is_complete;   /* these were all schedules that it has */
    bool is_cut;        /* unknown, for there are more schedules than `bounded` runs show */
    bool has_bound;     /* all with at most `bound` preemptions were run, among them */
    uint32_t bound, bound_runs;
    uint32_t predicted; /* findings in after, all followed */
    verify_items proofs, unreached, lefts;
    VEC(const char *) notes;          /* what a person should know */
    VEC(struct verify_beside) beside; /* other bugs, old and new */
    struct verify_cost cost_before, cost_after;
};

/* -1: a program could not be run at all. */
int verify_judge(const struct verify_opts *opts, struct verify_verdict *out, struct err *err);
void verify_verdict_done(struct verify_verdict *v);
/* Memory that is used when it is gone, or threads that wait for each other, beside what was
 * judged: what was not there before is the change's. Races and the like need not do harm. */
bool verify_adds_bug(const struct verify_verdict *v);

static inline void auto_verify_verdict(struct verify_verdict *v)
{
    verify_verdict_done(v);
}

struct json;
void verify_put_cost(struct json *j, const char *key, const struct verify_cost *c);
/* verdict.json (docs/verify.md). */
void verify_print(const struct verify_verdict *v, struct str *out);

#endif
