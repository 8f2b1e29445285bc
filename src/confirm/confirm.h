/* SPDX-License-Identifier: Apache-2.0
 *
 * confirm: follow a witness on the real program and judge what happened. A finding is confirmed
 * when a run followed its witness to the end; its harm is how that run ended, if that is worse
 * than how the recorded one did. */
#ifndef CONFIRM_CONFIRM_H
#define CONFIRM_CONFIRM_H

#include "finding/finding.h"
#include "witness/witness.h"
#include "run/run.h"

/* Do runs without a violation all print the same? Asked when the first finding needs it. */
enum confirm_output { OUTPUT_UNKNOWN, OUTPUT_SAME, OUTPUT_DIFFERS };

struct confirm_opts {
    char *const *argv;
    const char *recorded;              /* directory of the recorded run */
    const char *predicted;             /* of the one that the witness is from; NULL: the same */
    const struct run_result *expected; /* how it ended */
    const char *store;                 /* directory that the runs go to, one each; made */
    struct run_opts run;
    uint64_t
        steps_first; /* a run that needs more is looked at again, with run.steps_max; 0: not */
    /* The witness is a guess that takes no account of values: following it proves nothing, the
     * run itself has to show what it is about. */
    bool is_guess;
    uint32_t *unseen; /* counts runs that spun on what is not modelled; at unseen_max no more */
    uint32_t unseen_max;
    enum confirm_output *output; /* shared by all findings of a program; or NULL */
};

/* Tries the witness and near variants of it, and sets verdict, harm, ends and doubt of f; the
 * texts live in mem. *best becomes the directory of the run that is worth showing: the most
 * harmful one that followed, or empty if none did. -1 if the program could not be run. */
int confirm(struct finding *f, const struct witness_file *w, const struct confirm_opts *opts,
            struct arena *mem, struct str *best, struct err *err);

#endif
