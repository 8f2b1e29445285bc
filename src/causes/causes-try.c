/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-try: the same program once more, in an order in which a possible cause is not there
 * any more, or has come to be. The order is told to a guided run as a witness; a run in which
 * the steps did not come as they were meant to says nothing and does not count. */
#include "causes/gather.h"

#include <string.h>
#include <unistd.h>

enum {
    PLACES_TRIED = 6, /* of a run, until one has an order */
    TRIALS_MAX = 3    /* of one cause that count, each way */
};

struct trial {
    uint32_t cause;
    bool is_flip;
    uint32_t number; /* of its witness in the writer */
};

struct trying {
    struct gathered *g;
    struct cause *causes;
    const uint32_t *possible;
    uint32_t count;
    const struct seek_runs *opts;
    struct run_pool *pool;
    struct str guides; /* directory of guide files */
    uint64_t id;
};

/* ---- witnesses -------------------------------------------------------------------------- */

static bool add_witness(struct witness_writer *writer, const struct seen_run *r,
                        const struct plan *p, struct trial *out)
{
    AUTO(witness) struct witness w = {.query = {.kind = QUERY_ORDER}};
    event_order order = {0};
    bool is_possible = order_make(&order, r, &p->wish) == 0;
    if (is_possible) {
        for (uint32_t i = 0; i < p->count; i++)
            w.query.number[w.query.count++] = p->ev[i];
        while (w.prefix < order.len && order.at[w.prefix] == w.prefix)
            w.prefix++;
        for (uint32_t i = (uint32_t)w.prefix; i < order.len; i++)
            vec_push(&w.order, order.at[i]);
        out->number = witness_writer_add(writer, &w, "cause", NULL);
    }
    vec_done(&order);
    return is_possible;
}

static bool add_trial(struct trying *x, struct witness_writer *writer, const struct seen_run *r,
                      uint32_t cause, struct trial *out)
{
    const struct possible_cause *s = &x->g->possible.at[x->possible[cause]];
    struct plan p;
    *out = (struct trial){.cause = cause, .is_flip = r->failure != NONE};
    if (out->is_flip) {
        bool done = plan_flip(&p, r, s) && add_witness(writer, r, &p, out);
        plan_done(&p);
        return done;
    }
    for (uint32_t n = 0; n < PLACES_TRIED; n++) {
        bool is_place = plan_force(&p, r, s, n);
        bool done = is_place && add_witness(writer, r, &p, out);
        plan_done(&p);
        if (done || !is_place)
            return done;
    }
    return false;
}

/* ---- runs ------------------------------------------------------------------------------- */

/* Did what the plan is about happen? What comes behind it may well be different. */
static bool came_through(const struct run_guided *g, const struct witness_file *w)
{
    uint32_t last = w->lines.len;
    while (last > 0 && w->lines.at[last - 1].how != WITNESS_EVENT)
        last--;
    /* a run that dies of its next step cannot say that it has done it */
    bool died = !run_ended_well(&g->result) && g->line + 1 == last;
    return g->followed || g->line >= last || died;
}

static void judge(struct trying *x, const struct trial *t, const struct witness_file *w,
                  const struct run_done *d)
{
    struct cause *c = &x->causes[t->cause];
    struct cause_trials *trials = t->is_flip ? &c->flip : &c->force;
    struct run_guided g = {.result = d->result};
    AUTO(str) struct str kind = {0};
    run_guided_read(&g, w, d->directory.at);
    if (came_through(&g, w) && trials->tried < TRIALS_MAX) {
        run_kind(&kind, &d->result);
        trials->tried++;
        trials->hit += t->is_flip
                           ? run_ended_well(&d->result)
                           : strcmp(kind.at, x->g->out->failures.at[c->failure].kind) == 0;
    }
    str_done(&g.why);
}

static int start_one(struct trying *x, const struct witness_file *w, struct err *err)
{
    AUTO(str) struct str path = {0};
    struct run_opts run = x->opts->run;
    str_add(&path, "%s/%llu", x->guides.at, (unsigned long long)x->id);
    if (run_guide(w, path.at, err) < 0)
        return -1;
    run.guide = path.at;
    return run_pool_start(x->pool, x->id++, &run, err);
}

/* Runs them side by side and judges them in their order. */
static int run_trials(struct trying *x, const struct witness_writer *writer,
                      const struct trial *trials, uint32_t count, struct err *err)
{
    struct run_done *done = mem_zeroed(count + 1, sizeof *done);
    uint64_t first = x->id;
    uint32_t started = 0, ended = 0;
    int failed = 0;
    while (!failed && ended < count && !run_signal()) {
        while (!failed && started < count && !run_pool_is_full(x->pool))
            failed = start_one(x, witness_writer_get(writer, trials[started++].number), err);
        struct run_done d;
        if (!failed && (failed = run_pool_next(x->pool, &d, err)) == 0) {
            done[d.id - first] = d;
            ended++;
        }
    }
    for (uint32_t i = 0; i < count && done[i].directory.len; i++) {
        judge(x, &trials[i], witness_writer_get(writer, trials[i].number), &done[i]);
        x->g->out->tries++;
    }
    for (uint32_t i = 0; i < count; i++)
        run_done_drop(&done[i]);
    free(done);
    return failed;
}

/* Every cause that this run can say something about. */
static int try_run(struct trying *x, struct seen_run *r, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(&r->trace, err);
    VEC(struct trial) trials = {0};
    if (!writer)
        return -1;
    for (uint32_t i = 0; i < x->count; i++) {
        struct trial t;
        const struct cause *c = &x->causes[i];
        bool has_enough = (r->failure != NONE ? c->flip.tried : c->force.tried) >= TRIALS_MAX;
        if (!has_enough && (r->failure == NONE || r->failure == c->failure) &&
            add_trial(x, writer, r, i, &t))
            vec_push(&trials, t);
    }
    int failed = witness_writer_finish(writer, err) < 0
                     ? -1
                     : run_trials(x, writer, trials.at, trials.len, err);
    vec_done(&trials);
    if (x->opts->progress)
        x->opts->progress("intervening", x->g->out->tries);
    return failed;
}

static int try_all(struct trying *x, struct err *err)
{
    for (uint32_t i = 0; i < x->g->failing.len && !run_signal(); i++)
        if (try_run(x, x->g->failing.at[i], err) < 0)
            return -1;
    for (uint32_t i = 0; i < x->g->passing.len && !run_signal(); i++)
        if (try_run(x, x->g->passing.at[i], err) < 0)
            return -1;
    return 0;
}

/* ---- deadlocks that did not happen ------------------------------------------------------ */

static int provoke_in(struct trying *x, struct seen_run *r, uint64_t number, look_fn look,
                      void *arg, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = NULL;
    struct plan p;
    struct trial t = {0};
    struct run_done d;
    bool enough = false;
    bool is_there = plan_circle(&p, r, 0) && (writer = witness_writer_new(&r->trace, err)) &&
                    add_witness(writer, r, &p, &t);
    plan_done(&p);
    if (!is_there)
        return 0;
    if (witness_writer_finish(writer, err) < 0 ||
        start_one(x, witness_writer_get(writer, t.number), err) < 0 ||
        run_pool_next(x->pool, &d, err) < 0)
        return -1;
    x->g->out->tries++;
    d.id = number;
    int failed =
        d.result.outcome == WORD_VALUE(OUTCOME, DEADLOCK) ? look(arg, &d, &enough, err) : 0;
    run_done_drop(&d);
    return failed;
}

/* ---- all of it -------------------------------------------------------------------------- */

static int begin(struct trying *x, char *guides, struct err *err)
{
    if (!mkdtemp(guides))
        return err_sys(err, "%s", guides);
    str_add(&x->guides, "%s", guides);
    return run_pool_open(&x->pool, x->opts->argv, &x->opts->pool, err);
}

static void end(struct trying *x)
{
    if (x->pool)
        run_pool_close(x->pool);
    if (x->guides.len)
        run_remove_tree(x->guides.at);
    str_done(&x->guides);
}

int causes_provoke(struct gathered *g, const struct seek_runs *opts, look_fn look, void *arg,
                   struct err *err)
{
    struct trying x = {.g = g, .opts = opts};
    char guides[] = "/tmp/heddle-causes-XXXXXX";
    uint32_t count = g->passing.len;
    bool has_circle = false;
    for (uint32_t i = 0; i < count && !has_circle; i++) {
        struct plan p;
        has_circle = plan_circle(&p, g->passing.at[i], 0);
        plan_done(&p);
    }
    if (!has_circle)
        return 0;
    int failed = begin(&x, guides, err);
    for (uint32_t i = 0; !failed && i < count && !run_signal(); i++)
        failed = provoke_in(&x, g->passing.at[i], g->out->runs, look, arg, err);
    end(&x);
    return failed;
}

int causes_intervene(struct gathered *g, struct cause *causes, const uint32_t *possible,
                     uint32_t count, const struct seek_runs *opts, struct err *err)
{
    struct trying x = {
        .g = g, .causes = causes, .possible = possible, .count = count, .opts = opts};
    char guides[] = "/tmp/heddle-causes-XXXXXX";
    int failed = begin(&x, guides, err);
    if (!failed)
        failed = try_all(&x, err);
    end(&x);
    for (uint32_t i = 0; i < count; i++) {
        if (causes[i].flip.tried == 0)
            causes[i].flip.why = "no failing run could be made to avoid it";
        if (causes[i].force.tried == 0)
            causes[i].force.why = "no passing run could be made to have it";
    }
    return failed;
}
