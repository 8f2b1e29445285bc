/* SPDX-License-Identifier: Apache-2.0
 *
 * explore: one run after the other, each planned from the one before, until nothing is left to
 * try. */
#include "explore/explore.h"

#include "heddle/points.h"

#include <string.h>

struct steering {
    struct explore *x;
    struct bounded *bounded; /* or this */
    struct explore_plan plan;
    struct str path; /* of the plan's file */
    uint64_t lost;   /* runs that did not follow their plan */
};

static int write_plan(struct steering *s, struct err *err)
{
    AUTO(str) struct str out = {0};
    struct points_plan head = {POINTS_MAGIC, s->plan.picks.len, s->plan.sleep.len};
    str_bytes(&out, (const char *)&head, sizeof head);
    str_bytes(&out, (const char *)s->plan.picks.at, sizeof(uint32_t) * s->plan.picks.len);
    str_bytes(&out, (const char *)s->plan.sleep.at, sizeof(uint32_t) * s->plan.sleep.len);
    return file_write(s->path.at, out.at, out.len, err);
}

static bool skip(struct steering *s)
{
    return s->bounded ? bounded_skip(s->bounded, &s->plan) : explore_skip(s->x, &s->plan);
}

static bool next(struct steering *s, const struct explore_run *run)
{
    return s->bounded ? bounded_next(s->bounded, run, &s->plan)
                      : explore_next(s->x, run, &s->plan);
}

/* 1: go on, 0: that was all. */
static int steer(void *arg, const struct run_done *last, struct run_opts *opts, struct err *err)
{
    struct steering *s = arg;
    opts->policy = "exhaustive";
    if (!last)
        return 1;
    AUTO(str) struct str log = {0};
    bool more;
    str_add(&log, "%s/points", last->directory.at);
    if (last->result.outcome == WORD_VALUE(OUTCOME, DIVERGED)) {
        s->lost++;
        more = skip(s);
    } else {
        struct explore_run run = {0};
        if (explore_read(&run, last->directory.at, err) < 0)
            return -1;
        more = next(s, &run);
        explore_run_done(&run);
    }
    unlink(log.at); /* large, and never kept */
    if (!more)
        return 0;
    opts->plan = s->path.at;
    return write_plan(s, err) < 0 ? -1 : 1;
}

/* The files of thousands of short runs should not go to a disk. By its name the directory in
 * there is one of results, which runs see as it is, in whatever world they are. */
static int make_scratch(struct str *out, struct str *results, struct err *err)
{
    char memory[] = "/dev/shm/heddle-XXXXXX", disk[] = "/tmp/heddle-XXXXXX";
    const char *name = mkdtemp(memory);
    if (!name)
        name = mkdtemp(disk);
    if (!name)
        return err_sys(err, "%s", disk);
    str_add(out, "%s", name);
    str_add(results, "%s/explore.heddle", name);
    return run_make_directory(results->at, err);
}

int explore_program(struct run_table *out, struct explore_count *count, char *const *argv,
                    const struct run_opts *opts, const struct run_many_opts *many, int bound,
                    struct err *err)
{
    AUTO(str) struct str scratch = {0}, results = {0};
    struct run_many_opts own = *many;
    if (make_scratch(&scratch, &results, err) < 0)
        return -1;
    struct steering s = {0};
    if (bound < 0)
        s.x = explore_new(bound == EXPLORE_EVERY);
    else
        s.bounded = bounded_new((uint32_t)bound);
    str_add(&s.path, "%s/plan", results.at);
    own.pool.jobs = 1;
    own.pool.scratch = results.at;
    own.steer = steer;
    own.steer_arg = &s;
    int result = run_many(out, argv, opts, &own, err);
    *count = s.bounded ? *bounded_counts(s.bounded) : *explore_counts(s.x);
    count->lost = s.lost;
    count->complete &= s.lost == 0;
    count->has_bound &= s.lost == 0;
    run_remove_tree(scratch.at);
    str_done(&s.path);
    vec_done(&s.plan.picks);
    vec_done(&s.plan.sleep);
    explore_free(s.x);
    bounded_free(s.bounded);
    return result;
}
