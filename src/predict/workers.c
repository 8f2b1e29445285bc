/* SPDX-License-Identifier: Apache-2.0
 *
 * workers: several threads answer queries about one trace. What was made once per trace is
 * shared and no longer changes; scratch, claims and figures are each worker's own. A query's
 * answer depends on nothing but the query, so it does not matter who answers it. */
#include "predict/engine.h"

#include "base/jobs.h"

#include <string.h>

enum {
    CHUNK = 64,            /* queries that are taken at once */
    GATHERED_MAX = 1 << 15 /* queries that are answered at once */
};

struct predictor *worker_new(const struct predictor *p)
{
    struct predictor *w = mem_get(sizeof *w);
    *w = *p;
    memset(&w->stat, 0, sizeof w->stat);
    memset(&w->w, 0, sizeof w->w);
    memset(&w->dead, 0, sizeof w->dead);
    memset(&w->keep, 0, sizeof w->keep);
    memset(&w->seeds, 0, sizeof w->seeds);
    memset(&w->pairs, 0, sizeof w->pairs);
    memset(&w->order, 0, sizeof w->order);
    memset(&w->undo, 0, sizeof w->undo);
    memset(&w->units, 0, sizeof w->units);
    memset(&w->claims, 0, sizeof w->claims);
    memset(&w->asked, 0, sizeof w->asked);
    memset(&w->gathered, 0, sizeof w->gathered);
    w->claims_size = 0;
    w->stamp = 0;
    w->jobs = 1;
    w->workers = NULL;
    w->gathers = false;
    scratch_init(w);
    return w;
}

static void add_stat(struct predictor *to, const struct predictor *from)
{
    struct predict_stat *a = &to->stat;
    const struct predict_stat *b = &from->stat;
    a->queries += b->queries;
    a->clocks_no += b->clocks_no;
    a->sync_no += b->sync_no;
    a->closure_no += b->closure_no;
    a->trace_order += b->trace_order;
    a->windows += b->windows;
    a->searches += b->searches;
    a->full += b->full;
    a->not_found += b->not_found;
    a->too_long += b->too_long;
    a->work += b->work;
    a->work_most = b->work_most > a->work_most ? b->work_most : a->work_most;
    a->cut_short += b->cut_short;
    a->refused += b->refused;
    if (b->refused > 0)
        to->refusal = from->refusal;
}

void worker_free(struct predictor *w, struct predictor *p)
{
    add_stat(p, w);
    scratch_done(w);
    vec_done(&w->claims);
    vec_done(&w->asked);
    free(w);
}

/* Each of them checks its own witnesses. */
static void workers_start(struct predictor *p)
{
    if (p->workers)
        return;
    p->workers = mem_zeroed(p->jobs, sizeof *p->workers);
    for (uint32_t i = 0; i < p->jobs; i++) {
        struct predictor *w = p->workers[i] = worker_new(p);
        struct err err;
        w->checker = checker_new(p->m->trace, &err);
        CHECK(w->checker); /* it was possible before */
        w->checking = mem_get(sizeof *w->checking);
        CHECK(pthread_mutex_init(w->checking, NULL) == 0);
    }
}

void workers_done(struct predictor *p)
{
    for (uint32_t i = 0; p->workers && i < p->jobs; i++) {
        struct predictor *w = p->workers[i];
        checker_free(w->checker);
        pthread_mutex_destroy(w->checking);
        free(w->checking);
        worker_free(w, p);
    }
    free(p->workers);
    p->workers = NULL;
    vec_done(&p->gathered);
}

struct answering {
    struct predictor *p;
    const struct query *q;
    uint32_t count;
    enum answer *answers;
};

static void keep_answer(void *arg, const struct predicted *x, enum answer answer)
{
    (void)x;
    *(enum answer *)arg = answer;
}

static void answer_chunk(void *arg, uint32_t worker, uint32_t piece)
{
    const struct answering *a = arg;
    uint32_t end = (piece + 1) * CHUNK < a->count ? (piece + 1) * CHUNK : a->count;
    for (uint32_t i = piece * CHUNK; i < end; i++)
        ask_later(a->p->workers[worker], &(struct predicted){.query = a->q[i]}, keep_answer,
                  &a->answers[i]);
}

static void answer_end(void *arg, uint32_t worker, uint32_t piece)
{
    const struct answering *a = arg;
    (void)worker;
    ask_end(a->p->workers[piece]);
}

/* The figures of the workers count from here on. */
static void take_stats(struct predictor *p)
{
    for (uint32_t i = 0; i < p->jobs; i++) {
        add_stat(p, p->workers[i]);
        memset(&p->workers[i]->stat, 0, sizeof p->workers[i]->stat);
    }
}

void workers_answer(struct predictor *p, const struct query *q, uint32_t count,
                    enum answer *answers)
{
    struct answering a = {p, q, count, answers};
    workers_start(p);
    jobs_run(p->jobs, (count + CHUNK - 1) / CHUNK, answer_chunk, &a);
    jobs_run(p->jobs, p->jobs, answer_end, &a);
    take_stats(p);
}

void workers_gather(struct predictor *p, const struct predicted *x, predicted_fn found,
                    void *arg)
{
    vec_push(&p->gathered, (struct asked){*x, found, arg});
    if (p->gathered.len == GATHERED_MAX)
        workers_answer_rest(p);
}

void workers_answer_rest(struct predictor *p)
{
    uint32_t count = p->gathered.len;
    if (count == 0)
        return;
    struct query *q = mem_get(count * sizeof *q);
    enum answer *answers = mem_get(count * sizeof *answers);
    for (uint32_t i = 0; i < count; i++)
        q[i] = p->gathered.at[i].x.query;
    workers_answer(p, q, count, answers);
    for (uint32_t i = 0; i < count; i++) {
        const struct asked *a = &p->gathered.at[i];
        a->found(a->arg, &a->x, answers[i]);
    }
    p->gathered.len = 0;
    free(q);
    free(answers);
}
