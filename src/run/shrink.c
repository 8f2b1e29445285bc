/* SPDX-License-Identifier: Apache-2.0
 *
 * shrink: a run of an exploration has switches that have nothing to do with its failure; the
 * smallest that is found in a short time is recorded beside it. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* The switches that are needed of those of the run; place: of a run with no others. */
static int leave_out(struct run_again *a, const char *place, run_nudges *set,
                     const struct run_shrink_opts *o)
{
    struct run_minimize_opts opts = {.run = {.oracle = o->run->oracle,
                                             .expect = o->run->expect,
                                             .timeout_s = o->run->timeout_s},
                                     .runs = o->runs,
                                     .ms = o->ms};
    struct err ignored;
    uint64_t runs;
    if (run_server_open(&opts.run.server, a->recorded->argv.at, false, &ignored) < 0)
        return -1;
    int failed = run_minimize(a, &opts, set, &runs, &ignored) != 0 ||
                 run_record_nudged(a, set, &opts.run, place, &ignored) < 0;
    run_server_close(opts.run.server);
    return failed ? -1 : 0;
}

/* directory: of the run; place becomes that of the smaller one, beside it. */
static int shrink_once(struct str *place, run_nudges *set, const char *directory,
                       const struct run_shrink_opts *o)
{
    const char *slash = strrchr(directory, '/');
    AUTO(str) struct str parent = {0};
    struct run_recorded rec;
    struct run_again again;
    struct err ignored;
    uint32_t number = 0;
    str_add(&parent, "%.*s", slash ? (int)(slash - directory) : 1, slash ? directory : ".");
    if (run_recorded_read(&rec, directory, &ignored) < 0)
        return -1;
    int failed = run_next(place, parent.at, &number, &ignored);
    char *real = failed ? NULL : realpath(place->at, NULL);
    if (real)
        failed = run_again_open(&again, &rec, o->in_place, &ignored);
    if (real && !failed) {
        failed = leave_out(&again, real, set, o);
        run_again_close(&again);
    }
    if (real && failed)
        run_remove(real);
    free(real);
    run_recorded_done(&rec);
    return failed;
}

/* What a smaller run was forced to do is a choice when it is looked at anew: the second time
 * often does with less. */
int run_shrink(struct str *place, run_nudges *set, const char *directory,
               const struct run_shrink_opts *opts)
{
    AUTO(str) struct str again = {0};
    run_nudges fewer = {0};
    if (shrink_once(place, set, directory, opts) < 0)
        return -1;
    if (shrink_once(&again, &fewer, place->at, opts) < 0)
        return 0;
    bool is_better = fewer.len <= set->len;
    run_remove(is_better ? place->at : again.at);
    if (is_better) {
        place->len = 0;
        str_add(place, "%s", again.at);
        set->len = 0;
        for (uint32_t i = 0; i < fewer.len; i++)
            vec_push(set, fewer.at[i]);
    }
    vec_done(&fewer);
    return 0;
}
