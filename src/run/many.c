/* SPDX-License-Identifier: Apache-2.0
 *
 * many: runs side by side, each in a slot with a world of its own. They end in
 * any order and are told in the order in which they were asked for: what is counted, kept and
 * numbered does not depend on how many run at a time. */
#include "run/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AHEAD_PER_JOB = 8 }; /* how far a slow run may fall behind the others */

/* ---- a pool of slots -------------------------------------------------------------------- */

struct slot {
    struct run_live *live; /* NULL: free */
    struct run_world *in;  /* NULL: it works in place */
    struct str directory;  /* of the run's files */
    uint64_t id;
};

struct run_pool {
    char *const *argv; /* borrowed */
    struct run_pool_opts opts;
    struct run_server *server;
    struct str runs; /* the directory that the runs' directories are made in */
    struct slot slots[RUN_JOBS_MAX];
    struct slot again; /* for runs that are made once more */
    uint32_t busy;
    uint32_t limit; /* at a time: in copies runs share ports and more, and are alone */
    uint64_t started;
};

/* A slot gets its world when it is used first: there may be more slots than runs. */
static int open_world(const struct run_pool *p, struct slot *s, struct err *err)
{
    return p->opts.in_place || s->in ? 0 : run_world_open(&s->in, ".", err);
}

int run_pool_open(struct run_pool **out, char *const *argv, const struct run_pool_opts *opts,
                  struct err *err)
{
    struct run_pool *p = mem_zeroed(1, sizeof *p);
    p->argv = argv;
    p->opts = *opts;
    p->opts.jobs = opts->jobs ? opts->jobs : 1;
    CHECK(p->opts.jobs <= RUN_JOBS_MAX);
    p->limit = opts->in_place || run_worlds(NULL) ? p->opts.jobs : 1;
    run_share_stdin();
    int failed = 0;
    if (opts->store)
        str_add(&p->runs, "%s", opts->store);
    else
        failed = run_store(&p->runs, argv[0], err);
    if (!failed && run_is_ours(argv[0]))
        failed = run_server_open(&p->server, argv, false, err);
    if (failed) {
        run_pool_close(p);
        return -1;
    }
    *out = p;
    return 0;
}

static void close_slot(struct slot *s)
{
    if (s->live) {
        run_abandon(s->live);
        run_remove(s->directory.at);
    }
    str_done(&s->directory);
    run_world_close(s->in);
}

void run_pool_close(struct run_pool *p)
{
    for (uint32_t i = 0; i < p->opts.jobs; i++)
        close_slot(&p->slots[i]);
    close_slot(&p->again);
    run_server_close(p->server);
    str_done(&p->runs);
    free(p);
}

bool run_pool_is_full(const struct run_pool *p)
{
    return p->busy == p->limit;
}

bool run_pool_is_idle(const struct run_pool *p)
{
    return p->busy == 0;
}

/* The user's own way to put the world right before a run. */
static int prepare(const struct run_pool *p, const struct slot *s, struct err *err)
{
    int status = 0;
    char files[PATH_MAX];
    if (!realpath(s->directory.at, files))
        return err_sys(err, "%s", s->directory.at);
    if (run_world_command(s->in, p->opts.before_each, files, &status, err) < 0)
        return err_in(err, "--before-each");
    return status == 0
               ? 0
               : err_set(err, "--before-each: '%s' failed, with %s %d", p->opts.before_each,
                         WIFEXITED(status) ? "exit code" : "signal",
                         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int start_in(struct run_pool *p, struct slot *s, const struct run_opts *opts,
                    struct err *err)
{
    struct run_opts own = *opts;
    own.server = p->server;
    if (open_world(p, s, err) < 0)
        return -1;
    own.in = s->in;
    if (!own.input && isatty(STDIN_FILENO)) /* nobody types it again for every run */
        own.input = "/dev/null";
    s->directory.len = 0;
    str_add(&s->directory, "%s/.run-%d-%llu", p->opts.scratch ? p->opts.scratch : p->runs.at,
            (int)getpid(), (unsigned long long)p->started++);
    if (run_make_directory(s->directory.at, err) < 0)
        return -1;
    if ((p->opts.before_each && prepare(p, s, err) < 0) ||
        run_begin(&s->live, p->argv, s->directory.at, &own, err) < 0) {
        run_remove(s->directory.at);
        return -1;
    }
    return 0;
}

int run_pool_start(struct run_pool *p, uint64_t id, const struct run_opts *opts,
                   struct err *err)
{
    uint32_t i = 0;
    while (p->slots[i].live)
        i++;
    CHECK(i < p->opts.jobs);
    struct run_opts own = *opts;
    own.cpu = i + 1;
    if (start_in(p, &p->slots[i], &own, err) < 0)
        return -1;
    p->slots[i].id = id;
    p->busy++;
    return 0;
}

/* Its run has ended, or is waited for. */
static int end_in(struct slot *s, struct run_done *out, struct err *err)
{
    struct run_done done = {.id = s->id};
    int failed = run_end(s->live, &done.result, err);
    s->live = NULL;
    if (failed) {
        run_remove(s->directory.at);
        return -1;
    }
    done.directory = s->directory;
    s->directory = (struct str){0};
    *out = done;
    return 0;
}

int run_pool_next(struct run_pool *p, struct run_done *out, struct err *err)
{
    struct run_live *all[RUN_JOBS_MAX];
    uint32_t which[RUN_JOBS_MAX], count = 0;
    for (uint32_t i = 0; i < p->opts.jobs; i++)
        if (p->slots[i].live) {
            which[count] = i;
            all[count++] = p->slots[i].live;
        }
    struct slot *s = &p->slots[which[run_wait(all, count)]];
    p->busy--;
    return end_in(s, out, err);
}

void run_done_drop(struct run_done *d)
{
    if (d->directory.len)
        run_remove(d->directory.at);
    str_done(&d->directory);
    run_result_done(&d->result);
}

/* ---- exploration ------------------------------------------------------------------------ */

struct exploration {
    const struct run_many_opts *opts;
    struct run_opts recorded; /* how those are run that are kept; the seed is the first run's */
    struct run_table table;
    VEC(struct run_done) early; /* ended before their turn */
    uint64_t next;              /* whose turn it is */
    uint32_t number;            /* of the run kept last */
    uint32_t unseen;            /* those that spun on what is not modelled */
};

static struct run_row *row_of(struct run_table *t, const struct run_result *r)
{
    AUTO(str) struct str kind = {0};
    run_kind(&kind, r);
    for (uint32_t i = 0; i < t->rows.len; i++)
        if (strcmp(t->rows.at[i].kind.at, kind.at) == 0)
            return &t->rows.at[i];
    vec_push(&t->rows, (struct run_row){.kind = kind});
    kind = (struct str){0};
    return &t->rows.at[t->rows.len - 1];
}

/* The same run once more, with these options. 1: it ended as before, and takes its place; 0: it
 * did not, and goes. */
static int run_once_more(struct run_pool *pool, struct run_done *d, const struct run_opts *opts,
                         struct err *err)
{
    AUTO(str) struct str was = {0};
    AUTO(str) struct str is = {0};
    struct slot *s = &pool->again;
    struct run_done again = {0};
    s->id = d->id;
    if (start_in(pool, s, opts, err) < 0)
        return -1;
    run_wait(&s->live, 1);
    if (end_in(s, &again, err) < 0)
        return -1;
    run_kind(&was, &d->result);
    run_kind(&is, &again.result);
    bool same = strcmp(was.at, is.at) == 0;
    run_done_drop(same ? d : &again);
    if (same)
        *d = again;
    return same;
}

/* Most runs are the same with the same seed. Where the world outside has a say, what it said is
 * said again; if even that ends otherwise the run stays as it is, without a trace. */
static int record(struct exploration *x, struct run_pool *pool, struct run_done *d,
                  struct err *err)
{
    AUTO(str) struct str schedule = {0};
    AUTO(str) struct str world = {0};
    struct run_opts opts = x->recorded;
    opts.seed += d->id;
    int same = run_once_more(pool, d, &opts, err);
    if (same)
        return same < 0 ? -1 : 0;
    str_add(&schedule, "%s/schedule", d->directory.at);
    str_add(&world, "%s/input", d->directory.at);
    opts.schedule = schedule.at;
    opts.world = world.at;
    return run_once_more(pool, d, &opts, err) < 0 ? -1 : 0;
}

/* Before the run is made again or goes. */
static void take_printed(struct run_table *t, const struct run_done *d)
{
    AUTO(str) struct str text = {0};
    if (run_printed(&text, d->directory.at))
        run_outputs_add(&t->outputs, &text);
    else
        t->unread++;
}

static void take_racing(struct run_table *t, const struct str *told, uint64_t id)
{
    for (uint32_t i = 0; i < t->racing.len; i++)
        if (strcmp(t->racing.at[i].told.at, told->at) == 0)
            return;
    if (t->racing.len == RUN_RACING_MAX)
        return;
    struct run_racing made = {.id = id};
    str_add(&made.told, "%s", told->at);
    vec_push(&t->racing, made);
}

static void take_weak_doubts(struct run_table *t, const struct run_result *r, uint64_t id)
{
    for (uint32_t i = 0; i < r->doubts.len; i++) {
        const struct run_doubt *d = &r->doubts.at[i];
        uint32_t k = 0;
        if (d->why == DOUBT_RACE)
            take_racing(t, &d->detail, id);
        if ((d->why != DOUBT_RACE && d->why != DOUBT_WEAK) || run_has_doubt(r, d->why) != d)
            continue;
        while (k < t->weak.len && t->weak.at[k].why != d->why)
            k++;
        if (k == t->weak.len) {
            vec_push(&t->weak, (struct run_weak_doubt){.why = d->why});
            str_add(&t->weak.at[k].detail, "%s", d->detail.at);
        }
        t->weak.at[k].runs++;
    }
}

/* Its turn has come: counted, and kept if it is the first of its kind or one of the failures
 * that are to be kept. */
static int tell(struct exploration *x, struct run_done *d, struct run_pool *pool,
                struct err *err)
{
    struct run_row *row = row_of(&x->table, &d->result);
    bool good = run_ended_well(&d->result);
    x->table.runs++;
    x->unseen += run_spins_unseen(&d->result);
    take_weak_doubts(&x->table, &d->result, d->id);
    x->table.failed += !good && !run_unjudged(&d->result);
    if (x->opts->outputs)
        take_printed(&x->table, d);
    bool keep = row->count++ == 0 || (!good && row->count <= x->opts->keep);
    if (keep) {
        AUTO(str) struct str path = {0};
        if ((x->opts->record_kept && record(x, pool, d, err) < 0) ||
            run_next(&path, pool->runs.at, &x->number, err) < 0 ||
            run_rename(d->directory.at, path.at, err) < 0 || run_link_last(path.at, err) < 0)
            return -1;
        d->directory.len = 0;
        row->kept++;
        if (row->count == 1) {
            row->directory = path;
            row->id = d->id;
            row->first = d->result;
            path = (struct str){0};
            d->result = (struct run_result){0};
        }
    }
    run_done_drop(d);
    return 0;
}

/* Tells all whose turn it is. */
static int tell_in_turn(struct exploration *x, struct run_pool *pool, struct err *err)
{
    for (uint32_t i = 0; i < x->early.len;) {
        if (x->early.at[i].id != x->next) {
            i++;
            continue;
        }
        struct run_done d = x->early.at[i];
        x->early.at[i] = x->early.at[--x->early.len];
        if (x->opts->until_fail && x->table.failed) {
            run_done_drop(&d);
        } else if (tell(x, &d, pool, err) < 0) {
            run_done_drop(&d);
            return -1;
        }
        x->next++;
        i = 0;
    }
    return 0;
}

static bool has_enough(const struct exploration *x)
{
    return run_signal() || (x->opts->until_fail && x->table.failed) ||
           (x->opts->unseen_max && x->unseen >= x->opts->unseen_max);
}

static bool wants_more(const struct exploration *x, uint64_t begun)
{
    return begun < x->opts->runs && !has_enough(x) &&
           begun < x->next + (uint64_t)AHEAD_PER_JOB * x->opts->pool.jobs;
}

static int explore(struct exploration *x, struct run_pool *pool, struct run_opts *opts,
                   struct err *err)
{
    uint64_t seed = opts->seed;
    int more = x->opts->steer ? x->opts->steer(x->opts->steer_arg, NULL, opts, err) : 1;
    for (uint64_t begun = 0;;) {
        while (more && wants_more(x, begun) && !run_pool_is_full(pool)) {
            opts->seed = seed + begun;
            if (run_pool_start(pool, begun++, opts, err) < 0)
                return -1;
        }
        if (has_enough(x) || run_pool_is_idle(pool))
            return 0;
        struct run_done d;
        if (run_pool_next(pool, &d, err) < 0)
            return -1;
        if (run_signal()) { /* it did not end by itself */
            run_done_drop(&d);
            return 0;
        }
        if (x->opts->steer)
            more = x->opts->steer(x->opts->steer_arg, &d, opts, err);
        vec_push(&x->early, d);
        if (more < 0)
            return -1;
        if (tell_in_turn(x, pool, err) < 0)
            return -1;
        if (x->opts->progress)
            x->opts->progress(x->table.runs, x->table.failed);
    }
}

/* From bad to good: what matters comes first. */
static int by_harm(const void *a, const void *b)
{
    const struct run_row *x = a, *y = b;
    if (run_is_worse(&x->first, &y->first))
        return -1;
    if (run_is_worse(&y->first, &x->first))
        return 1;
    return strcmp(x->kind.at, y->kind.at);
}

int run_many(struct run_table *out, char *const *argv, const struct run_opts *opts,
             const struct run_many_opts *many, struct err *err)
{
    struct run_opts own = *opts;
    struct exploration x = {.opts = many, .recorded = *opts};
    struct run_pool *pool = NULL;
    own.no_trace |= many->record_kept;
    if (run_pool_open(&pool, argv, &many->pool, err) < 0)
        return -1;
    int failed = explore(&x, pool, &own, err);
    run_pool_close(pool);
    for (uint32_t i = 0; i < x.early.len; i++)
        run_done_drop(&x.early.at[i]);
    vec_done(&x.early);
    if (x.table.rows.len)
        qsort(x.table.rows.at, x.table.rows.len, sizeof *x.table.rows.at, by_harm);
    *out = x.table;
    return failed;
}

void run_table_done(struct run_table *t)
{
    for (uint32_t i = 0; i < t->rows.len; i++) {
        str_done(&t->rows.at[i].kind);
        str_done(&t->rows.at[i].directory);
        run_result_done(&t->rows.at[i].first);
    }
    vec_done(&t->rows);
    for (uint32_t i = 0; i < t->weak.len; i++)
        str_done(&t->weak.at[i].detail);
    vec_done(&t->weak);
    for (uint32_t i = 0; i < t->racing.len; i++)
        str_done(&t->racing.at[i].told);
    vec_done(&t->racing);
    run_outputs_done(&t->outputs);
}
