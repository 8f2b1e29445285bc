/* SPDX-License-Identifier: Apache-2.0
 *
 * run: start a target under the scheduler, bound it, and collect the run.
 *
 * A run is a directory: the runtime inside the target writes trace, schedule, input and
 * outcome; this side writes command and output, judges the result with the user's oracle, and
 * writes the outcome of a target that could not write its own. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/err.h"
#include "base/str.h"
#include "trace/trace.h"

struct run_opts {
    const char *policy; /* NULL: fifo; may carry a depth, as in pct:3 */
    uint64_t seed;
    const char *schedule; /* replay this one */
    uint64_t steps_max;   /* 0: the runtime's default */
    uint32_t timeout_s;   /* 0: the default */
    const char *oracle;   /* run by sh -c: stdin is the target's stdout, HEDDLE_EXIT its code */
    const char *expect;   /* file that the target's stdout must equal */
    bool show_output;     /* pass what the target prints on to our own stdout and stderr */
    bool no_trace;        /* outcome and schedule only */
};

/* How a run ended. */
struct run_result {
    uint8_t outcome; /* OUTCOME word */
    int code;        /* exit code, or signal */
    struct str text; /* owned: the outcome in full, several lines */
};

/* Directory for the next run below prog.heddle/runs in the current directory, and its number.
 * prog is the target's base name. */
int run_directory(struct str *out, const char *prog, uint32_t *number, struct err *err);
int run_make_directory(const char *path, struct err *err);
/* Removes it and what is in it. */
void run_remove(const char *directory);
/* Makes prog.heddle/runs/last point to it. */
int run_link_last(const char *directory, struct err *err);

/* argv ends with NULL. -1 only if it could not be started or recorded at all. */
int run_target(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err);
void run_result_done(struct run_result *r);

/* What `heddle run` exits with. */
int run_exit_code(const struct run_result *r);
/* From good to bad, as the outcomes are ordered. */
bool run_is_worse(const struct run_result *r, const struct run_result *than);

#endif
