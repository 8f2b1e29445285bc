/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-gather: runs until there are enough that fail and enough that pass. */
#include "causes/gather.h"

#include "base/stop.h"

#include <string.h>

enum {
    RUNS_DEFAULT = 400, /* at most */
    ENOUGH = 16,        /* failing, passing ones */
    KEPT_FAILING = 6,   /* of each failure, for interventions */
    KEPT_PASSING = 4,
    FAILURES_MAX = 8
};

struct gathering {
    struct gathered *g;
    const struct seek_runs *opts;
    uint32_t number;           /* of the run kept last */
    struct guard_table guards; /* if they are wanted */
};

static uint32_t failure_of(struct gathering *x, const struct run_done *d)
{
    struct causes *out = x->g->out;
    AUTO(str) struct str kind = {0};
    run_kind(&kind, &d->result);
    for (uint32_t i = 0; i < out->failures.len; i++)
        if (strcmp(out->failures.at[i].kind, kind.at) == 0)
            return i;
    if (out->failures.len == FAILURES_MAX)
        return NONE;
    const char *text = d->result.text.at ? d->result.text.at : "";
    vec_push(&out->failures,
             (struct cause_failure){.kind = arena_text(&out->mem, kind.at, kind.len),
                                    .text = arena_text(&out->mem, text, strcspn(text, "\n")),
                                    .outcome = d->result.outcome});
    return out->failures.len - 1;
}

/* In the program's store, under a number of its own. */
static int keep_files(struct gathering *x, struct run_done *d, const char **out,
                      struct err *err)
{
    AUTO(str) struct str path = {0};
    if (run_directory(&path, x->opts->argv[0], &x->number, err) < 0 ||
        run_rename(d->directory.at, path.at, err) < 0 || run_link_last(path.at, err) < 0)
        return -1;
    d->directory.len = 0;
    *out = arena_text(&x->g->out->mem, path.at, path.len);
    return 0;
}

static uint32_t count_kept(const struct gathered *g, uint32_t failure)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->failing.len; i++)
        count += g->failing.at[i]->failure == failure;
    return count;
}

/* A run that fails with fewer events fails for fewer reasons. */
static void keep_run(struct gathered *g, struct seen_run *r)
{
    if (r->failure == NONE) {
        if (g->passing.len < KEPT_PASSING)
            vec_push(&g->passing, r);
        else
            seen_run_free(r);
        return;
    }
    if (count_kept(g, r->failure) < KEPT_FAILING) {
        vec_push(&g->failing, r);
        return;
    }
    uint32_t longest = NONE;
    for (uint32_t i = 0; i < g->failing.len; i++)
        if (g->failing.at[i]->failure == r->failure &&
            (longest == NONE || g->failing.at[i]->ev_count > g->failing.at[longest]->ev_count))
            longest = i;
    if (g->failing.at[longest]->ev_count > r->ev_count) {
        seen_run_free(g->failing.at[longest]);
        g->failing.at[longest] = r;
    } else {
        seen_run_free(r);
    }
}

static int look_at(struct gathering *x, struct run_done *d, struct err *err)
{
    struct causes *out = x->g->out;
    bool failed = !run_ended_well(&d->result);
    out->runs++;
    if (!run_judges_program(&d->result))
        return 0;
    struct verdict_row row = {.failure = failed ? failure_of(x, d) : NONE};
    if (failed && row.failure == NONE)
        return 0;
    struct seen_run *r = seen_run_open(d->directory.at, &x->g->sites, err);
    if (!r)
        return -1;
    r->failure = row.failure;
    r->id = (uint32_t)d->id;
    possible_of(x->g, r, &row);
    if (stop_signal()) { /* it was not looked at to its end */
        vec_done(&row.keys);
        seen_run_free(r);
        return 0;
    }
    if (x->opts->guards)
        guard_table_add(&x->guards, r);
    vec_push(&x->g->rows, row);
    keep_run(x->g, r);
    if (failed) {
        struct cause_failure *f = &out->failures.at[row.failure];
        out->failed++;
        return f->count++ == 0 ? keep_files(x, d, &f->run, err) : 0;
    }
    return out->passed++ == 0 ? keep_files(x, d, &out->passing, err) : 0;
}

static bool is_enough(const struct gathering *x)
{
    const struct causes *out = x->g->out;
    uint64_t most = 0;
    for (uint32_t i = 0; i < out->failures.len; i++)
        most = out->failures.at[i].count > most ? out->failures.at[i].count : most;
    return most >= ENOUGH && out->passed >= ENOUGH;
}

static int look(void *arg, struct run_done *d, bool *enough, struct err *err)
{
    struct gathering *x = arg;
    if (look_at(x, d, err) < 0 && !stop_signal())
        return -1;
    *enough = is_enough(x) || stop_signal();
    return 0;
}

static bool has_deadlock(const struct causes *out)
{
    for (uint32_t i = 0; i < out->failures.len; i++)
        if (out->failures.at[i].outcome == WORD_VALUE(OUTCOME, DEADLOCK))
            return true;
    return false;
}

/* The run that the user has, once more, with the stacks of what happens. One that goes another
 * way than it did says nothing. */
static int look_at_given(struct gathering *x, struct err *err)
{
    struct run_recorded recorded;
    struct run_again again = {0};
    if (run_recorded_read(&recorded, x->opts->given, err) < 0)
        return -1;
    struct run_done d = {.id = 0};
    struct run_opts opts = x->opts->run;
    int failed = run_again_open(&again, &recorded, x->opts->pool.in_place, err);
    if (!failed) {
        failed = run_again(&again, recorded.schedule.choices.at, recorded.schedule.choices.len,
                           &d.result, &opts, err);
        str_add(&d.directory, "%s", again.files.at);
        if (!failed)
            failed = look_at(x, &d, err);
        run_done_drop(&d);
        run_again_close(&again);
    }
    run_recorded_done(&recorded);
    return failed;
}

int causes_gather(struct gathered *g, const struct seek_runs *opts, struct err *err)
{
    struct gathering x = {.g = g, .opts = opts};
    if (opts->guards) {
        *opts->guards = (struct guards){0};
        x.guards = (struct guard_table){.out = opts->guards, .sites = &g->sites};
    }
    int failed = opts->given ? look_at_given(&x, err) : 0;
    if (!failed)
        failed = explore_runs(opts, opts->runs ? opts->runs : RUNS_DEFAULT, look, &x, err);
    if (!failed && !has_deadlock(g->out))
        failed = causes_provoke(g, opts, look, &x, err);
    if (opts->guards)
        guard_table_finish(&x.guards, opts->argv[0]);
    return failed;
}

void gathered_done(struct gathered *g)
{
    for (uint32_t i = 0; i < g->rows.len; i++)
        vec_done(&g->rows.at[i].keys);
    for (uint32_t i = 0; i < g->failing.len; i++)
        seen_run_free(g->failing.at[i]);
    for (uint32_t i = 0; i < g->passing.len; i++)
        seen_run_free(g->passing.at[i]);
    vec_done(&g->rows);
    vec_done(&g->failing);
    vec_done(&g->passing);
    vec_done(&g->possible);
    vec_done(&g->before);
    map_done(&g->by_hash);
    site_table_done(&g->sites);
}
