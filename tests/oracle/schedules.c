/* SPDX-License-Identifier: Apache-2.0
 *
 * schedules: see schedules.h. */
#include "oracle/schedules.h"

#include "explore/explore.h"
#include "heddle/points.h"

void give_up(const struct err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(4);
}

static void write_plan(const struct explore_plan *plan)
{
    AUTO(str) struct str out = {0};
    struct err err;
    struct points_plan head = {POINTS_MAGIC, plan->picks.len, plan->sleep.len};
    str_bytes(&out, (const char *)&head, sizeof head);
    str_bytes(&out, (const char *)plan->picks.at, sizeof(uint32_t) * plan->picks.len);
    str_bytes(&out, (const char *)plan->sleep.at, sizeof(uint32_t) * plan->sleep.len);
    if (file_write("plan", out.at, out.len, &err) < 0)
        give_up(&err);
}

uint64_t every_schedule(char *const *argv, uint64_t max, void (*see)(void *, const char *),
                        void *arg)
{
    struct explore *x = explore_new(false);
    struct explore_plan plan = {0};
    struct err err = {0};
    uint64_t runs = 0;
    bool more = true;
    run_make_directory("explored", &err);
    while (more && runs < max) {
        struct run_opts opts = {.policy = "exhaustive", .plan = runs ? "plan" : NULL};
        struct run_result result = {0};
        struct explore_run run = {0};
        run_clear("explored");
        if (run_target(&result, argv, "explored", &opts, &err) < 0)
            give_up(&err);
        runs++;
        if (result.outcome == WORD_VALUE(OUTCOME, DIVERGED)) {
            more = explore_skip(x, &plan);
        } else {
            see(arg, "explored");
            if (explore_read(&run, "explored", &err) < 0)
                give_up(&err);
            more = explore_next(x, &run, &plan);
            explore_run_done(&run);
        }
        run_result_done(&result);
        write_plan(&plan);
    }
    vec_done(&plan.picks);
    vec_done(&plan.sleep);
    explore_free(x);
    return more ? 0 : runs;
}
