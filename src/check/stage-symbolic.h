/* SPDX-License-Identifier: Apache-2.0
 *
 * stage-symbolic: the stage that knows values: replays a recorded run once more in full,
 * executes its paths over the bitcode, and asks which checks of the program (assertions,
 * pointers, indices, divisors) can fail in another schedule of them, and which races and
 * atomicity violations can happen that values seemed to exclude. */
#ifndef CHECK_STAGE_SYMBOLIC_H
#define CHECK_STAGE_SYMBOLIC_H

#include "finding/finding.h"
#include "witness/witness.h"
#include "symbolic/symbolic.h"

enum symbolic_when { SYMBOLIC_AUTO, SYMBOLIC_OFF, SYMBOLIC_ALWAYS };

/* What a user can say; both budgets are about milliseconds, counted, not measured. */
struct symbolic_words {
    unsigned when;          /* from 1, enum symbolic_when; 0: auto */
    uint64_t budget, total; /* of one question, of all of them; 0: the default */
    unsigned solver;        /* from 1, index into engines; 0: the first */
};

/* What is tried unless more is asked for. */
enum {
    SYMBOLIC_BUDGET_MS = 200, /* for a question */
    SYMBOLIC_EVENTS_MAX = 200000,
    SYMBOLIC_STEPS_MAX = 2000000,
    SYMBOLIC_CLAUSES_MAX = 100000,
};

struct stage_symbolic {
    const char *run;         /* directory of the recorded run */
    const char *witness_dir; /* where witnesses go, ID.witness; NULL: nowhere */
    const struct finding_list
        *known; /* what other runs gave: their witnesses stay; may be NULL */
    const struct symbolic_words *words;
    bool in_place;
    struct symbolic_stat *stat; /* gets what became of the questions; or NULL */
};

/* Adds what can fail to the list, with witnesses. What keeps it from being done (no bitcode, a
 * run too long) is said in the list's unseen. -1: a witness cannot be written. */
int stage_symbolic(struct finding_list *out, const struct stage_symbolic *opts,
                   struct err *err);

#endif
