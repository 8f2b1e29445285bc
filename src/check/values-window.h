/* SPDX-License-Identifier: Apache-2.0
 *
 * values-window: a recorded run replayed once more with everything in its trace, its paths
 * executed over the bitcode, and the problem that they make for questions about values. */
#ifndef CHECK_VALUES_WINDOW_H
#define CHECK_VALUES_WINDOW_H

#include "run/run.h"
#include "symbolic/symbolic.h"

struct values_window {
    struct run_recorded recorded;
    struct run_again again;
    struct trace trace;
    struct model *model;
    struct ir *ir;
    struct term_pool *pool;
    struct ir_paths paths;
    struct problem problem;
};

struct values_opts {
    const char *run; /* directory of the recorded run */
    /* Longer ones are left alone; 0: no limit. Events are what was recorded; what is recorded
     * now grows with the steps, private ones among them. */
    uint64_t events_max, steps_max;
    bool in_place;
};

/* -1: it cannot be had, err says why; then too out must be closed. The directory that one is in
 * stays. */
int values_open(struct values_window *out, const struct values_opts *opts, struct err *err);
void values_close(struct values_window *w);

static inline void auto_values_window(struct values_window *w)
{
    values_close(w);
}

#endif
