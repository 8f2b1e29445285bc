/* SPDX-License-Identifier: Apache-2.0
 *
 * values-window: see values-window.h. */
#include "check/values-window.h"

#include <fcntl.h>
#include <unistd.h>

static int read_run(struct values_window *w, const struct values_opts *opts, struct err *err)
{
    if (run_recorded_read(&w->recorded, opts->run, err) < 0)
        return -1;
    if (opts->events_max > 0 && w->recorded.events > opts->events_max)
        return err_set(err,
                       "the run has more than %llu events; --symbolic=always tries it all the "
                       "same",
                       (unsigned long long)opts->events_max);
    if (opts->steps_max > 0 && w->recorded.outcome.steps > opts->steps_max)
        return err_set(err,
                       "the run has more than %llu thousand steps; --symbolic=always tries it "
                       "all the same",
                       (unsigned long long)opts->steps_max / 1000);
    return 0;
}

/* The recorded run once more, with everything in its trace. */
static int record(struct values_window *w, bool in_place, struct err *err)
{
    struct run_result result = {0};
    if (run_again_open(&w->again, &w->recorded, in_place, err) < 0)
        return -1;
    int diverged = run_window(&w->again, &result, &(struct run_opts){0}, err);
    run_result_done(&result);
    if (diverged < 0)
        return -1;
    if (diverged > 0)
        return err_set(err, "the run did not repeat when everything was recorded");
    return trace_open_in(&w->trace, w->again.files.at, err);
}

static int make_problem(struct values_window *w, struct err *err)
{
    w->model = model_build(&w->trace, &(struct model_opts){.keep_all = true}, err);
    if (!w->model || ir_open(&w->ir, w->recorded.argv.at[0], err) < 0)
        return -1;
    w->pool = term_pool_new();
    if (ir_paths(&w->paths, w->ir, &w->trace, w->pool, err) < 0)
        return -1;
    return problem_build(&w->problem, w->pool, w->model, w->ir, &w->paths, err);
}

int values_open(struct values_window *out, const struct values_opts *opts, struct err *err)
{
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* the replay may go elsewhere */
    int result = read_run(out, opts, err);
    if (result == 0)
        result = record(out, opts->in_place, err);
    if (result == 0)
        result = make_problem(out, err);
    if (here >= 0 && fchdir(here) < 0 && result == 0)
        result = err_sys(err, "going back to where we were");
    if (here >= 0)
        close(here);
    return result;
}

void values_close(struct values_window *w)
{
    problem_done(&w->problem);
    ir_paths_done(&w->paths);
    term_pool_free(w->pool);
    ir_close(w->ir);
    model_free(w->model);
    trace_close(&w->trace);
    if (w->again.recorded)
        run_again_close(&w->again);
    run_recorded_done(&w->recorded);
}
