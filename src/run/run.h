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

struct run_server;
struct run_live;

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
    const char *input;    /* file that becomes its stdin; NULL: our own stdin */
    const char *directory;     /* where it works; NULL: where we do */
    struct run_server *server; /* borrowed: copies of the program; NULL: started anew */
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

/* Is our runtime in this program, found as execvp would find it? */
bool run_is_ours(const char *program);

/* A program of ours that waits before its first instruction and is copied for every run: a run
 * then costs little more than what the program does itself. One server may have many runs at a
 * time. */
int run_server_open(struct run_server **out, char *const *argv, struct err *err);
void run_server_close(struct run_server *s);

/* argv ends with NULL. -1 only if it could not be started or recorded at all. */
int run_target(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err);
/* The same in three parts, for several runs at a time, at most RUN_JOBS_MAX. run_wait says
 * which one has ended (of several, the first in the list). run_end takes it. */
enum { RUN_JOBS_MAX = 64 };
int run_begin(struct run_live **out, char *const *argv, const char *directory,
              const struct run_opts *opts, struct err *err);
uint32_t run_wait(struct run_live *const *all, uint32_t count);
int run_end(struct run_live *r, struct run_result *out, struct err *err);
void run_abandon(struct run_live *r); /* ends it; nothing is judged */
void run_result_done(struct run_result *r);

/* From here on SIGINT, SIGTERM and SIGHUP do not end us: they are passed on to what runs, and
 * run_signal says which one came. */
void run_catch_signals(void);
int run_signal(void);

/* What `heddle run` exits with. */
int run_exit_code(const struct run_result *r);
/* From good to bad, as the outcomes are ordered. */
bool run_is_worse(const struct run_result *r, const struct run_result *than);

#endif
