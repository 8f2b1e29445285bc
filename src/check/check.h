/* SPDX-License-Identifier: Apache-2.0
 *
 * check: the cascade of `heddle check`: record runs, predict from each, follow every witness on
 * the real program, explore a little; what came of it is one list of findings, merged by cause,
 * and files in PROGRAM.heddle. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "check/gaps.h"
#include "check/memory-bound.h"
#include "check/stage-symbolic.h"
#include "check/values-window.h"
#include "check/weak-tell.h"
#include "finding/finding.h"
#include "run/run.h"

#define CHECK_EXPLORE_AUTO UINT64_MAX

typedef VEC(const char *) check_texts;

struct check_opts {
    char *const *argv;
    check_texts inputs;    /* files, each the standard input of a run; none: our own */
    check_texts arguments; /* lines, each the arguments of a run; none: those of argv */
    uint64_t runs;         /* of each of those: the first under fifo, the others at random */
    check_texts own;       /* paths whose files are the user's own; none: it is guessed */
    const char *before_each;
    uint64_t
        explore; /* runs with other schedules, or CHECK_EXPLORE_AUTO: by the run's length */
    uint32_t jobs;
    bool in_place;
    bool no_confirm; /* what is predicted is not followed, but for children's */
    const char
        *known; /* findings.json: these are followed, and nothing is predicted; or NULL */
    uint64_t memory_mb; /* that prediction may use; 0: by the machine */
    struct symbolic_words symbolic;
    struct run_opts run; /* seed, limits, oracle; the policy is of the recorded run */
    enum weak_mode weak; /* weak behaviour of atomics in some runs */
    bool weak_if_used;   /* if the program has atomics or fences that ask for it */
};

/* Where the time went. */
struct check_stat {
    uint64_t record_ms, predict_ms, symbolic_ms, confirm_ms, explore_ms, stacks_ms;
    const char *refused; /* "unsupported: aio_read": where a recorded run stopped; or NULL */
};

/* -1: nothing could be recorded or analysed. An interrupt ends it early: what was found until
 * then is in the list. */
int check(struct finding_list *out, struct check_stat *stat, const struct check_opts *opts,
          struct err *err);

#endif
