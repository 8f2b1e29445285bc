/* SPDX-License-Identifier: Apache-2.0
 *
 * predictor: what is made once per trace and mode, and the way of a query through it: is it
 * one, decide it, have the witness checked. */
#include "predict/engine.h"

#include "base/jobs.h"
#include "base/stop.h"

#include <string.h>

enum { WORK_MAX = 25000000 };

/* ---- what is not modelled -------------------------------------------------------------- */

static void find_unmodelled(struct predictor *p)
{
    bool odd = false;
    for (sync_id s = 0; s < p->m->sync_count; s++)
        odd |= p->m->syncs[s].is_odd;
    str_add(&p->unmodelled, "%s", odd ? "semaphores that somebody else uses too" : "");
}

/* ---- is it a query at all? ------------------------------------------------------------- */

static bool touches(const struct model *m, ev_id e)
{
    return model_reads(m, e) || model_writes(m, e);
}

static bool is_race(const struct predictor *p)
{
    const struct model *m = p->m;
    ev_id a = p->goal[0], b = p->goal[1];
    if (p->count != 2 || !touches(m, a) || !touches(m, b) || m->ev[a].thr == m->ev[b].thr ||
        !(model_writes(m, a) || model_writes(m, b)) ||
        (model_is_atomic(m, a) && model_is_atomic(m, b)))
        return false;
    struct span x = model_cells(m, a), y = model_cells(m, b);
    return x.first < y.first + y.count && y.first < x.first + x.count;
}

/* Does the thread of `at` hold the lock there, in a way that keeps request from having it? */
static bool holds_at(const struct predictor *p, ev_id at, ev_id request)
{
    const struct model *m = p->m;
    uint32_t n = m->idx[at];
    for (uint32_t i = model_held(m, m->ev[at].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (m->obj[m->acquires[i]] == m->obj[request])
            return !(m->ev[m->acquires[i]].detail & m->ev[request].detail & FLAG(SHARED));
    return false;
}

/* Does a have to wait for b's thread: to end, or to give back what a asks for? */
static bool waits_for(const struct predictor *p, ev_id a, ev_id b)
{
    const struct model *m = p->m;
    if (m->ev[a].thr == m->ev[b].thr)
        return false;
    return m->ev[a].kind == EV_JOIN ? m->obj[a] == m->ev[b].thr : holds_at(p, b, a);
}

/* Goes on from the event at place `now` through those not used yet, and round to the first. */
static bool goes_round(const struct predictor *p, uint32_t now, uint32_t used)
{
    if (used == (uint32_t)((1ULL << p->count) - 1))
        return waits_for(p, p->goal[now], p->goal[0]);
    for (uint32_t i = 1; i < p->count; i++)
        if (!(used >> i & 1) && waits_for(p, p->goal[now], p->goal[i]) &&
            goes_round(p, i, used | 1u << i))
            return true;
    return false;
}

static bool is_request(const struct model *m, ev_id e)
{
    unsigned kind = m->ev[e].kind;
    return kind == EV_ACQUIRE || kind == EV_JOIN ||
           (kind == EV_REQUEST && m->syncs[m->obj[e]].on == ON_LOCK);
}

static bool is_cycle(const struct predictor *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (!is_request(p->m, p->goal[i]))
            return false;
    return p->count >= 2 && goes_round(p, 0, 1);
}

static bool can_block(const struct predictor *p)
{
    for (uint32_t i = p->ordered; i < p->count; i++)
        if (!blocked_can_be_asked(p->m, p->goal[i]))
            return false;
    return p->count > p->ordered;
}

/* Of other kinds it is not known whether they can be tried when their turn comes. */
static bool can_be_next(const struct predictor *p)
{
    for (uint32_t i = p->ordered; i < p->count; i++)
        if (!touches(p->m, p->goal[i]) && p->m->ev[p->goal[i]].kind != EV_ACQUIRE)
            return false;
    return p->count > 0;
}

static bool is_query(const struct predictor *p)
{
    switch (p->kind) {
    case QUERY_RACE:
    case QUERY_UNORDERED:
        return is_race(p);
    case QUERY_DEADLOCK:
        return is_cycle(p);
    case QUERY_NEXT:
        return can_be_next(p);
    case QUERY_BLOCKED:
        return can_block(p);
    default:
        return p->count > 0;
    }
}

/* ---- answers --------------------------------------------------------------------------- */

/* The trace itself must be an execution. Logs of real programs sometimes are none: sections of
 * one lock overlap, because what was logged is not what happened. Then a no means nothing. */
void check_trace(struct predictor *p)
{
    if (p->is_checked)
        return;
    p->is_checked = true;
    uint64_t good = trace_check(p->checker, p->mode, &p->refusal);
    for (p->good_end = p->m->ev_count;
         p->good_end > 0 && model_number(p->m, p->good_end - 1) >= good;)
        p->good_end--;
    if (good < p->m->trace_events)
        str_add(&p->broken, "%s", p->refusal.text);
}

enum answer predict_unchecked(struct predictor *p, const struct query *q)
{
    if (p->is_cut || (p->stop && p->stop()))
        return ANSWER_UNKNOWN;
    CHECK(q->count <= QUERY_MAX && query_ordered(q) <= q->count);
    CHECK(p->claims.len == p->asked.len && p->now && p->limit);
    p->kind = q->kind;
    p->count = q->count;
    p->adjacent = q->kind == QUERY_ORDER ? q->adjacent : 0;
    p->ordered = query_ordered(q);
    for (uint32_t i = 0; i < q->count; i++)
        if ((p->goal[i] = model_find(p->m, q->number[i])) == NONE)
            return ANSWER_UNKNOWN;
    if (p->unmodelled.len > 0)
        return ANSWER_UNKNOWN;
    if (!is_query(p))
        return p->kind == QUERY_NEXT ? ANSWER_UNKNOWN : ANSWER_NO;
    enum answer answer = query_decide(p);
    return answer == ANSWER_NO && p->broken.len > 0 ? ANSWER_UNKNOWN : answer;
}

/* Whether two events are unordered only the checker can say: there a no is no fault. Nor is it
 * one if there was no time to look. */
void claims_refused(struct predictor *p, uint32_t count)
{
    if (p->broken.len == 0 && !stop_came())
        p->stat.refused += count;
}

enum answer predict(struct predictor *p, const struct query *q, struct witness *out)
{
    struct witness mine = {0}, *w = out ? out : &mine;
    check_trace(p);
    enum answer answer = predict_unchecked(p, q);
    CHECK(p->good_end <= p->m->ev_count);
    if (answer == ANSWER_YES) {
        claim_make(p, q, w);
        CHECK(w->order.len <= p->m->trace_events);
        if (witness_check(p->checker, w, &p->refusal) < 0) {
            answer = ANSWER_UNKNOWN;
            claims_refused(p, q->kind != QUERY_UNORDERED);
        }
    }
    witness_done(&mine);
    return answer;
}

/* ---- many answers: their witnesses are checked together ---------------------------------- */

enum { CLAIMS_MAX = 1 << 22 }; /* numbers in all witnesses */

static uint64_t claim_size(const struct witness *w)
{
    return w->stop.len + w->order.len + sizeof *w / sizeof *w->order.at;
}

enum answer ask_later(struct predictor *p, const struct predicted *x, predicted_fn found,
                      void *arg)
{
    if (p->gathers) {
        workers_gather(p, x, found, arg);
        return ANSWER_UNKNOWN;
    }
    enum answer answer = predict_unchecked(p, &x->query);
    if (answer != ANSWER_YES) {
        found(arg, x, answer);
        return answer;
    }
    struct witness w = {0};
    claim_make(p, &x->query, &w);
    CHECK(p->claims.len == p->asked.len);
    vec_push(&p->claims, w);
    vec_push(&p->asked, (struct asked){*x, found, arg});
    p->claims_size += claim_size(&w);
    if (p->claims_size > CLAIMS_MAX)
        ask_end(p);
    return answer;
}

void check_claims(struct predictor *p, bool *good)
{
    pthread_mutex_lock(p->checking);
    witness_check_all(p->checker, p->claims.at, p->claims.len, good, &p->refusal);
    pthread_mutex_unlock(p->checking);
}

void ask_end(struct predictor *p)
{
    CHECK(p->claims.len == p->asked.len);
    uint32_t count = p->claims.len, refused = 0;
    bool *good = mem_get(count + 1);
    check_claims(p, good);
    for (uint32_t i = 0; i < count; i++) {
        const struct asked *a = &p->asked.at[i];
        refused += !good[i] && a->x.query.kind != QUERY_UNORDERED;
        a->found(a->arg, &a->x, good[i] ? ANSWER_YES : ANSWER_UNKNOWN);
        witness_done(&p->claims.at[i]);
    }
    claims_refused(p, refused);
    p->claims.len = p->asked.len = 0;
    p->claims_size = 0;
    free(good);
}

static void keep_answer(void *arg, const struct predicted *x, enum answer answer)
{
    (void)x;
    *(enum answer *)arg = answer;
}

void predict_all(struct predictor *p, const struct query *q, uint32_t count,
                 enum answer *answers)
{
    check_trace(p);
    if (p->jobs > 1) {
        workers_answer(p, q, count, answers);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        ask_later(p, &(struct predicted){.query = q[i]}, keep_answer, &answers[i]);
    ask_end(p);
}

/* ---- life ------------------------------------------------------------------------------ */

void scratch_init(struct predictor *p)
{
    p->now = mem_zeroed(2 * p->k + 1, sizeof *p->now);
    p->limit = mem_zeroed(p->k + 1, sizeof *p->limit);
    p->supply_to = mem_zeroed(p->k + 1, sizeof *p->supply_to);
    p->supply_from = mem_zeroed(p->k + 1, sizeof *p->supply_from);
    p->supply_amount = mem_zeroed(p->k + 1, sizeof *p->supply_amount);
    window_init(p);
    linear_init(p);
}

void scratch_done(struct predictor *p)
{
    void *parts[] = {p->now, p->limit, p->supply_to, p->supply_from, p->supply_amount};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    window_done(p);
    linear_done(p);
    vec_done(&p->keep);
    vec_done(&p->seeds);
    vec_done(&p->pairs);
    vec_done(&p->order);
}

struct predictor *predictor_new(const struct model *m, enum mode mode, struct err *err)
{
    struct checker *checker = checker_new(m->trace, err);
    if (!checker)
        return NULL;
    struct predictor *p = calloc(1, sizeof *p);
    CHECK(p);
    p->m = m;
    p->mode = mode;
    p->k = m->thread_count;
    p->checker = checker;
    p->work_max = WORK_MAX;
    p->jobs = 1;
    p->part = (struct predict_part){1, 1};
    p->checking = mem_get(sizeof *p->checking);
    CHECK(pthread_mutex_init(p->checking, NULL) == 0);
    scratch_init(p);
    find_unmodelled(p);
    lookup_init(p);
    prefix_init(p);
    supply_init(p);
    str_add(&p->broken, "%s", "");
    p->good_end = m->ev_count;
    return p;
}

void predictor_free(struct predictor *p)
{
    if (!p)
        return;
    workers_done(p);
    pthread_mutex_destroy(p->checking);
    free(p->checking);
    checker_free(p->checker);
    scratch_done(p);
    str_done(&p->unmodelled);
    str_done(&p->broken);
    lookup_done(p);
    prefix_done(&p->prefix);
    prefix_done(&p->sync);
    supply_done(p);
    vec_done(&p->claims);
    vec_done(&p->asked);
    vec_done(&p->skipped);
    vec_done(&p->refuted);
    free(p);
}

void predict_limit(struct predictor *p, uint64_t work)
{
    p->work_max = work;
    for (uint32_t i = 0; p->workers && i < p->jobs; i++)
        p->workers[i]->work_max = work;
}

void predict_stop_when(struct predictor *p, int (*stop)(void))
{
    p->stop = stop;
    for (uint32_t i = 0; p->workers && i < p->jobs; i++)
        p->workers[i]->stop = stop;
}

void predict_declared(struct predictor *p, struct predict_guards guards)
{
    p->declared = guards;
    for (uint32_t i = 0; p->workers && i < p->jobs; i++)
        p->workers[i]->declared = guards;
}

void predict_watch(struct predictor *p, void (*watch)(uint32_t done, uint32_t all))
{
    p->watch = watch;
}

void predict_jobs(struct predictor *p, uint32_t jobs)
{
    workers_done(p);
    p->jobs = jobs > 0 ? jobs : jobs_cores();
}

const char *predict_unmodelled(const struct predictor *p)
{
    return p->unmodelled.at;
}

const char *predict_broken(struct predictor *p)
{
    check_trace(p);
    return p->broken.at;
}

struct predict_stat predict_stat(const struct predictor *p)
{
    return p->stat;
}

const char *predict_refusal(const struct predictor *p)
{
    return p->refusal.text;
}
