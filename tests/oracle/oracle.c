/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle: random tiny traces, all queries they have, all modes: the predictor, the reference
 * algorithm and brute force over every order have to agree. With two threads exactly; with
 * more a yes that was not found is counted, and so is a no that was not proved.
 *
 *     oracle TRACES [SEED [EVENTS [KIND [ORDERS [SIZE]]]]]
 *
 * prints one line of counts; exit code 1: they differ. KIND 1: traces in our own notation, with
 * the primitives that STD has no words for. ORDERS: how many orders of up to six events are
 * asked about in each; without it six, of up to four. SIZE: orders of so many events and
 * nothing else, in traces of two threads, in mode sync. */
#include "explain/chain.h"
#include "oracle.h"
#include "predict/predict.h"

#include <stdio.h>
#include <string.h>

struct counts {
    uint64_t traces, queries, yes, misses, wrong, unproved, refused, reference_misses;
    uint64_t weak_misses, blocked_misses, ordered;
};

struct trial {
    struct tiny tiny;
    struct str text;
    struct trace trace;
    struct model *model;
    struct predictor *predictor;
    struct checker *checker;
    enum mode mode;
    uint64_t seed;
    uint32_t orders; /* 0: as usual */
    uint32_t size;   /* of the only orders that are asked about; 0: as usual */
    struct counts *counts;
};

static void complain(const struct trial *t, const struct query *q, const char *what)
{
    printf("seed %llu, mode %s: %s: kind %d, events", (unsigned long long)t->seed,
           mode_text(t->mode), what, (int)q->kind);
    for (uint32_t i = 0; i < q->count; i++)
        printf(" %llu", (unsigned long long)q->number[i]);
    printf(", adjacent %x\n%s", q->adjacent, t->text.at);
    t->counts->wrong++;
}

static void add_recorded(const struct trial *t, const struct witness *w, uint64_t from,
                         uint64_t end, struct witness *plain)
{
    for (uint64_t n = from; n < end && n < (uint64_t)t->tiny.len; n++)
        if (n < w->stop.at[t->model->ev[model_find(t->model, n)].thr])
            vec_push(&plain->order, n);
}

/* A witness with everything in its list is executed from the first event on: the checker has
 * to be of the same opinion. */
static bool passes_in_full(const struct trial *t, const struct witness *w)
{
    struct err err;
    AUTO(witness) struct witness plain = {.query = w->query, .mode = w->mode};
    add_recorded(t, w, 0, w->prefix, &plain);
    for (uint32_t i = 0; i < w->order.len; i++)
        vec_push(&plain.order, w->order.at[i]);
    if (w->resume > 0)
        add_recorded(t, w, w->resume, UINT64_MAX, &plain);
    return witness_check(t->checker, &plain, &err) == 0;
}

static void ask(struct trial *t, const struct query *q)
{
    struct counts *c = t->counts;
    AUTO(witness) struct witness w = {0};
    bool truth = brute_force(&t->tiny, t->mode, q);
    enum answer answer = predict(t->predictor, q, &w);
    enum verdict verdict = truth ? REFERENCE_YES : REFERENCE_NOT_FOUND;
    bool blocked = q->kind == QUERY_BLOCKED;
    if (!t->tiny.has_choices && q->kind != QUERY_UNORDERED && !blocked)
        verdict = reference(&t->tiny, t->mode, q);
    if (predict_stat(t->predictor).refused > 0)
        complain(t, q, predict_refusal(t->predictor));
    c->queries++;
    c->yes += truth;
    if (answer == ANSWER_YES && !truth)
        complain(t, q, "found, but impossible");
    if (answer == ANSWER_YES && !passes_in_full(t, &w))
        complain(t, q, "the witness is not accepted in full");
    if (answer == ANSWER_NO && truth)
        complain(t, q, "excluded, but possible");
    bool weak = q->kind == QUERY_UNORDERED;
    c->weak_misses += weak && answer == ANSWER_UNKNOWN && truth;
    c->blocked_misses += blocked && answer == ANSWER_UNKNOWN && truth;
    if (answer == ANSWER_UNKNOWN && t->tiny.threads == 2 && !weak && !blocked)
        complain(t, q, "undecided with two threads");
    if (verdict == REFERENCE_YES && !truth)
        complain(t, q, "reference: found, but impossible");
    if ((verdict == REFERENCE_NO || (verdict != REFERENCE_YES && t->tiny.threads == 2)) &&
        truth)
        complain(t, q, "reference: excluded, but possible");
    c->misses += answer == ANSWER_UNKNOWN && truth && !weak && !blocked;
    c->unproved += answer == ANSWER_UNKNOWN && !truth && !weak && !blocked;
    c->reference_misses += verdict == REFERENCE_NOT_FOUND && truth;
}

static bool is_access(const struct event *e)
{
    return e->op == OP_R || e->op == OP_W;
}

/* What why-not calls ordered is no race, and the other order is possible if brute force says
 * that both can be next. */
static void check_chain(struct trial *t, const struct query *q)
{
    enum chain_level level = t->mode == MODE_SYNC ? CHAIN_SYNC : CHAIN_DATA;
    ev_id a = model_find(t->model, q->number[0]), b = model_find(t->model, q->number[1]);
    chain links = {0};
    if (t->mode != MODE_PAPER &&
        chain_find(t->model, a, b, level, t->mode == MODE_CLASSIC, &links)) {
        t->counts->ordered++;
        if (brute_force(&t->tiny, t->mode, q))
            complain(t, q, "explained as ordered, but possible");
        if (links.len == 0 ||
            t->model->ev[links.at[links.len - 1].to].thr != t->model->ev[b].thr)
            complain(t, q, "the chain does not lead there");
    }
    vec_done(&links);
}

static void ask_races(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = a + 1; b < y->len; b++) {
            if (!is_access(&y->ev[a]) || !is_access(&y->ev[b]) ||
                y->ev[a].obj != y->ev[b].obj || y->ev[a].thr == y->ev[b].thr ||
                (y->ev[a].atomic && y->ev[b].atomic) ||
                (y->ev[a].op != OP_W && y->ev[b].op != OP_W))
                continue;
            struct query q = {.count = 2, .number = {(uint64_t)a, (uint64_t)b}};
            q.kind = QUERY_RACE;
            ask(t, &q);
            check_chain(t, &q);
            q.kind = QUERY_UNORDERED;
            if (y->is_ours)
                ask(t, &q);
        }
}

/* Does a, where it stands, wait for something that b's thread has where b stands? */
static bool waits_for(const struct tiny *y, int a, int b)
{
    const struct event *x = &y->ev[a], *z = &y->ev[b];
    if (x->thr == z->thr || (x->op != OP_ACQ && x->op != OP_JOIN))
        return false;
    if (x->op == OP_JOIN)
        return x->obj == z->thr;
    for (int i = 0; i < y->len; i++)
        if (y->ev[i].op == OP_ACQ && y->ev[i].obj == x->obj && y->ev[i].thr == z->thr &&
            !(y->ev[i].shared && x->shared) && y->ev[i].idx < z->idx &&
            (y->ev[i].match < 0 || y->ev[y->ev[i].match].idx > z->idx))
            return true;
    return false;
}

static void ask_deadlocks(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = 0; b < y->len; b++) {
            if (!waits_for(y, a, b))
                continue;
            if (a < b && waits_for(y, b, a))
                ask(t, &(struct query){.kind = QUERY_DEADLOCK,
                                       .count = 2,
                                       .number = {(uint64_t)a, (uint64_t)b}});
            for (int c = 0; c < y->len; c++)
                if (a < b && a < c && y->ev[c].thr != y->ev[a].thr && waits_for(y, b, c) &&
                    waits_for(y, c, a))
                    ask(t, &(struct query){
                               .kind = QUERY_DEADLOCK,
                               .count = 3,
                               .number = {(uint64_t)a, (uint64_t)b, (uint64_t)c},
                           });
        }
}

static void ask_violations(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int a = 0; a < y->len; a++)
        for (int b = 0; b < y->len; b++)
            for (int c = a + 1; c < y->len; c++) {
                const struct event *x = &y->ev[a], *r = &y->ev[b], *z = &y->ev[c];
                if (is_access(x) && is_access(r) && is_access(z) && x->thr == z->thr &&
                    r->thr != x->thr && x->obj == r->obj && r->obj == z->obj &&
                    (r->op == OP_W || (x->op == OP_W && z->op == OP_W)))
                    ask(t, &(struct query){
                               .kind = QUERY_ORDER,
                               .count = 3,
                               .number = {(uint64_t)a, (uint64_t)b, (uint64_t)c},
                           });
            }
}

/* A read before a write of another thread, as for order violations and uses before
 * initialisation, and behind it. */
static void ask_uses(struct trial *t)
{
    const struct tiny *y = &t->tiny;
    for (int r = 0; r < y->len; r++)
        for (int w = 0; w < y->len; w++) {
            if (y->ev[r].op != OP_R || y->ev[w].op != OP_W || y->ev[r].obj != y->ev[w].obj ||
                y->ev[r].thr == y->ev[w].thr)
                continue;
            struct query q = {.kind = QUERY_ORDER, .count = 2};
            q.number[0] = (uint64_t)r;
            q.number[1] = (uint64_t)w;
            ask(t, &q);
            q.number[0] = (uint64_t)w;
            q.number[1] = (uint64_t)r;
            ask(t, &q);
        }
}

/* Different events. */
static void pick(const struct trial *t, struct rng *rng, struct query *q)
{
    for (uint32_t j = 0; j < q->count;) {
        uint32_t e = rng_below(rng, (uint32_t)t->tiny.len), k = 0;
        while (k < j && q->number[k] != e)
            k++;
        if (k == j)
            q->number[j++] = e;
    }
}

static void ask_nexts(struct trial *t, struct rng *rng, int count)
{
    for (int i = 0; i < count && t->tiny.len >= 4; i++) {
        struct query q = {.kind = QUERY_NEXT, .ordered = rng_below(rng, 3)};
        q.count = q.ordered + 1 + rng_below(rng, 2);
        pick(t, rng, &q);
        bool asks = true; /* a branch or join cannot be tried whenever its turn comes */
        for (uint32_t j = q.ordered; j < q.count; j++)
            asks &= is_access(&t->tiny.ev[q.number[j]]) || t->tiny.ev[q.number[j]].op == OP_ACQ;
        if (asks)
            ask(t, &q);
    }
}

static bool may_wait(const struct event *e)
{
    return e->op == OP_ACQ || e->op == OP_JOIN || e->op == OP_TAKE || e->op == OP_ARRIVE ||
           e->op == OP_DEPART;
}

/* Threads that wait, each for something: now and then after a signal that came too early. */
static void ask_blocked(struct trial *t, struct rng *rng, int count)
{
    for (int i = 0; i < count && t->tiny.len >= 5; i++) {
        struct query q = {.kind = QUERY_BLOCKED, .ordered = 2 * (rng_below(rng, 4) == 0)};
        q.count = q.ordered + 1 + rng_below(rng, 3);
        pick(t, rng, &q);
        bool asks = true;
        for (uint32_t j = q.ordered; j < q.count; j++)
            asks &= may_wait(&t->tiny.ev[q.number[j]]);
        if (asks)
            ask(t, &q);
    }
}

static void ask_orders(struct trial *t, struct rng *rng, int count, uint32_t most)
{
    for (int i = 0; i < count && t->tiny.len >= (int)most; i++) {
        struct query q = {.kind = QUERY_ORDER, .count = 2 + rng_below(rng, most - 1)};
        pick(t, rng, &q);
        q.adjacent = rng_below(rng, 2) ? 0 : rng_below(rng, 1u << (q.count - 1));
        ask(t, &q);
    }
}

static void ask_orders_of(struct trial *t, struct rng *rng, int count, uint32_t size)
{
    for (int i = 0; i < count && t->tiny.len >= (int)size; i++) {
        struct query q = {.kind = QUERY_ORDER, .count = size};
        pick(t, rng, &q);
        q.adjacent = rng_below(rng, 2) ? 0 : rng_below(rng, 1u << (size - 1));
        ask(t, &q);
    }
}

static void ask_all(struct trial *t)
{
    struct rng rng = {t->seed};
    ask_races(t);
    ask_deadlocks(t);
    ask_violations(t);
    ask_uses(t);
    ask_orders(t, &rng, t->orders ? (int)t->orders : 6, t->orders ? 6 : 4);
    ask_nexts(t, &rng, 8);
    ask_blocked(t, &rng, 40);
}

static void fail(const struct err *err)
{
    fprintf(stderr, "oracle: %s\n", err->text);
    exit(1);
}

static void try_modes(struct trial *t)
{
    struct err err;
    struct bytes bytes;
    tiny_print(&t->tiny, &t->text);
    if (bytes_new(&bytes, t->text.len, &err) < 0)
        fail(&err);
    memcpy((void *)(uintptr_t)bytes.at, t->text.at, t->text.len);
    if (trace_open_bytes(&t->trace, &bytes, "tiny", &err) < 0)
        fail(&err);
    t->model = model_build(&t->trace, &(struct model_opts){.keep_all = true}, &err);
    if (!t->model || !(t->checker = checker_new(&t->trace, &err)))
        fail(&err);
    for (t->mode = 0; t->mode < MODE_COUNT; t->mode++) {
        if (t->size > 0 && t->mode != MODE_SYNC)
            continue;
        struct rng rng = {t->seed};
        t->predictor = predictor_new(t->model, t->mode, &err);
        if (!t->predictor)
            fail(&err);
        if (*predict_broken(t->predictor) || *predict_unmodelled(t->predictor))
            complain(t, &(struct query){0}, predict_broken(t->predictor));
        if (t->size > 0)
            ask_orders_of(t, &rng, (int)t->orders, t->size);
        else
            ask_all(t);
        t->counts->refused += predict_stat(t->predictor).refused;
        predictor_free(t->predictor);
    }
    checker_free(t->checker);
    model_free(t->model);
    trace_close(&t->trace);
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    struct counts c = {0};
    uint64_t traces = argument(argc, argv, 1, 1000), seed = argument(argc, argv, 2, 1);
    uint64_t events = argument(argc, argv, 3, 12);
    bool ours = argument(argc, argv, 4, 0);
    uint32_t orders = (uint32_t)argument(argc, argv, 5, 0);
    uint32_t size = (uint32_t)argument(argc, argv, 6, 0);
    for (uint64_t i = 0; i < traces && c.wrong == 0; i++) {
        struct trial t = {.seed = seed + i, .orders = orders, .size = size, .counts = &c};
        struct rng rng = {t.seed};
        int threads = size > 0 ? 2 : 2 + (int)rng_below(&rng, 3);
        tiny_make(&t.tiny, &rng, threads, 4 + (int)rng_below(&rng, (uint32_t)events - 3), ours);
        if (t.tiny.len > 0)
            try_modes(&t);
        str_done(&t.text);
        c.traces++;
    }
    printf("%llu traces, %llu queries, %llu possible: %llu wrong, %llu missed, %llu witnesses "
           "refused\n",
           (unsigned long long)c.traces, (unsigned long long)c.queries,
           (unsigned long long)c.yes, (unsigned long long)c.wrong, (unsigned long long)c.misses,
           (unsigned long long)c.refused);
    fprintf(stderr,
            "impossible but not proved: %llu; reference missed %llu; weak %llu; blocked %llu; "
            "explained as ordered %llu\n",
            (unsigned long long)c.unproved, (unsigned long long)c.reference_misses,
            (unsigned long long)c.weak_misses, (unsigned long long)c.blocked_misses,
            (unsigned long long)c.ordered);
    return c.wrong || c.refused;
}
