/* SPDX-License-Identifier: Apache-2.0
 *
 * check: the cascade of `heddle check`: record a run, predict, follow every witness on the real
 * program, explore a little; what came of it is a list of findings and files in
 * PROGRAM.heddle. */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include "finding/finding.h"
#include "run/run.h"

struct check_opts {
    char *const *argv;
    const char *before_each;
    uint64_t explore; /* runs with other schedules */
    uint32_t jobs;
    bool in_place;
    struct run_opts run; /* seed, limits, oracle; the policy is of the recorded run */
};

/* -1: nothing could be recorded or analysed. An interrupt ends it early: what was found until
 * then is in the list. */
int check(struct told_list *out, const struct check_opts *opts, struct err *err);

#endif
