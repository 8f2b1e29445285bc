/* SPDX-License-Identifier: Apache-2.0
 *
 * window: the stretch of the trace that contradicts the query, and the closure of what must
 * precede what in it (SEQCHECK 5). Outside the window the recorded order stands.
 *
 * Each event of the window has a clock: how many events of each thread come before it. Rules
 * are looked at again where a clock moved. Adding an edge may show that the query is
 * impossible (FAILED), that the cut must grow (GREW) or that the window must (WIDER). */
#include "predict/engine.h"

#include "base/search.h"

#include <string.h>

enum { CHECKED_MAX = 256 }; /* places of a window that are all looked at once it is closed */

static inline uint32_t place_of(const struct window *w, thr_id t, uint32_t idx)
{
    return w->base[t] + (idx - w->a[t]);
}

static inline uint32_t place(const struct predictor *p, ev_id e)
{
    return place_of(&p->w, thread_of(p, e), p->m->idx[e]);
}

static inline bool inside(const struct predictor *p, ev_id e)
{
    return in_window(&p->w, thread_of(p, e), p->m->idx[e]);
}

static inline uint32_t *clock_at(struct predictor *p, uint32_t at)
{
    return p->w.clock.at + (size_t)at * p->k;
}

const uint32_t *window_clock(const struct predictor *p, ev_id e)
{
    return p->w.clock.at + (size_t)place(p, e) * p->k;
}

bool window_before(const struct predictor *p, ev_id a, ev_id b)
{
    return window_clock(p, b)[thread_of(p, a)] > p->m->idx[a];
}

/* ---- edges ----------------------------------------------------------------------------- */

static void enqueue(struct predictor *p, ev_id e)
{
    bool *queued = &p->w.queued.at[place(p, e)];
    if (!*queued)
        vec_push(&p->w.queue, e);
    *queued = true;
}

static void edge_add(struct predictor *p, ev_id from, ev_id to)
{
    CHECK(from != to && inside(p, from) && inside(p, to));
    uint32_t *head = &p->w.head.at[place(p, from)];
    vec_push(&p->w.target, to);
    vec_push(&p->w.next, *head);
    *head = p->w.target.len - 1;
}

/* What precedes from precedes to, and so does from. */
static bool pass_on(struct predictor *p, ev_id from, ev_id to)
{
    const uint32_t *source = window_clock(p, from);
    uint32_t *into = clock_at(p, place(p, to));
    thr_id self = thread_of(p, from);
    bool changed = false;
    for (thr_id i = 0; i < p->k; i++) {
        uint32_t value = i == self ? p->m->idx[from] + 1 : source[i];
        if (into[i] < value) {
            into[i] = value;
            changed = true;
        }
    }
    return changed;
}

static enum closure spread_to(struct predictor *p, ev_id from, ev_id to)
{
    CHECK(inside(p, from) && inside(p, to));
    if (!pass_on(p, from, to))
        return DONE;
    if (window_clock(p, to)[thread_of(p, to)] > p->m->idx[to])
        return FAILED;
    enqueue(p, to);
    vec_push(&p->w.spread, to);
    return DONE;
}

static enum closure spread(struct predictor *p)
{
    while (p->w.spread.len > 0) {
        if (!afford(p, 10 + 3 * p->k))
            return FAILED;
        ev_id e = p->w.spread.at[--p->w.spread.len];
        thr_id t = thread_of(p, e);
        uint32_t idx = p->m->idx[e] + 1;
        if (in_window(&p->w, t, idx) && spread_to(p, e, model_at(p->m, t, idx)) == FAILED)
            return FAILED;
        for (uint32_t i = p->w.head.at[place(p, e)]; i != NONE; i = p->w.next.at[i])
            if (spread_to(p, e, p->w.target.at[i]) == FAILED)
                return FAILED;
    }
    return DONE;
}

enum closure window_add(struct predictor *p, ev_id from, ev_id to)
{
    struct window *w = &p->w;
    CHECK(from < p->m->ev_count && to < p->m->ev_count);
    if (from == to)
        return FAILED;
    if (!inside(p, from) || !inside(p, to)) {
        if (from < to)
            return DONE;
        w->lo = to < w->lo ? to : w->lo;
        w->hi = from > w->hi ? from : w->hi;
        return WIDER;
    }
    if (window_before(p, from, to))
        return DONE;
    if (window_before(p, to, from))
        return FAILED;
    edge_add(p, from, to);
    p->w.spread.len = 0;
    return spread_to(p, from, to) == FAILED ? FAILED : spread(p);
}

/* The section that begins at a1 must end before a2 begins. */
enum closure window_end_before(struct predictor *p, ev_id a1, ev_id a2)
{
    ev_id release = p->m->link[a1];
    CHECK(p->m->ev[a1].kind == EV_ACQUIRE);
    if (is_stuck(p, a1))
        return FAILED;
    CHECK(release != NONE);
    if (in_cut(p, release))
        return window_add(p, release, a2);
    return cut_need(p, release) ? GREW : FAILED;
}

/* ---- rules ----------------------------------------------------------------------------- */

/* O1a: another write before a firm read comes before the write it sees. */
static enum closure rule_read(struct predictor *p, ev_id e, cell_id c)
{
    ev_id source = model_source(p->m, e, c);
    for (thr_id i = 0; i < p->k; i++) {
        ev_id other = last_write(p, c, i, p->w.a[i], window_clock(p, e)[i]);
        if (other == NONE || other == source)
            continue;
        enum closure o = source == NONE ? FAILED : window_add(p, other, source);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* O1b: firm reads of an earlier write come before e. */
static enum closure rule_write(struct predictor *p, ev_id e, cell_id c)
{
    for (thr_id i = 0; i < p->k; i++) {
        ev_id earlier = last_write(p, c, i, p->w.a[i], window_clock(p, e)[i]);
        if (earlier == NONE)
            continue;
        struct readers readers = readers_of(p, c, earlier);
        for (thr_id j = 0; readers.len > 0 && j < p->k; j++) {
            ev_id r = readers_last(p, &readers, j, 0, firm_of(p, j));
            if (r == e) /* an update sees what it replaces */
                r = readers_last(p, &readers, j, 0, p->m->idx[e]);
            enum closure o = r == NONE ? DONE : window_add(p, r, e);
            if (o != DONE)
                return o;
        }
    }
    return DONE;
}

/* L1: sections that begin before this one's end (at e) end before it begins (at acquire). */
static enum closure rule_section(struct predictor *p, ev_id e, ev_id acquire)
{
    thr_id self = thread_of(p, e);
    for (thr_id i = 0; i < p->k; i++) {
        if (i == self)
            continue;
        uint32_t before = window_clock(p, e)[i];
        ev_id a = last_rival(p, acquire, i, p->w.a[i], before);
        enum closure o = a == NONE ? DONE : window_end_before(p, a, acquire);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* A section still open at the end of the cut ends behind its thread's last event. */
static enum closure rule_open(struct predictor *p, ev_id e)
{
    thr_id t = thread_of(p, e);
    uint32_t n = len_of(p, t);
    for (uint32_t i = model_held(p->m, t, n); i != NONE; i = model_held_next(p->m, i, n)) {
        enum closure o = rule_section(p, e, p->m->acquires[i]);
        if (o != DONE)
            return o;
    }
    return DONE;
}

static enum closure rules(struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    thr_id t = thread_of(p, e);
    enum closure o = DONE;
    switch (m->ev[e].kind) {
    case EV_RELEASE:
        o = rule_section(p, e, m->link[e]);
        break;
    case EV_SEM_POST:
    case EV_SEM_WAIT:
        o = supply_rule(p, e);
        break;
    default:
        if (is_busy(p, e))
            o = supply_busy_rule(p, e);
    }
    if (o == DONE && m->idx[e] + 1 == len_of(p, t))
        o = rule_open(p, e);
    bool reads = model_reads(m, e) && is_firm(p, e), writes = model_writes(m, e);
    if (o != DONE || !(reads || writes))
        return o;
    struct span cells = model_cells(m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        if (reads && (o = rule_read(p, e, c)) != DONE)
            return o;
        if (writes && (o = rule_write(p, e, c)) != DONE)
            return o;
    }
    return DONE;
}

/* ---- adjacency (A1) -------------------------------------------------------------------- */

/* What precedes b precedes a. */
static enum closure before_pair(struct predictor *p, ev_id a, ev_id b)
{
    for (thr_id i = 0; i < p->k; i++) {
        uint32_t n = window_clock(p, b)[i];
        if (i == thread_of(p, a) && n == p->m->idx[a] + 1)
            continue;
        enum closure o = n > p->w.a[i] ? window_add(p, model_at(p->m, i, n - 1), a) : DONE;
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* What follows a follows b. */
static enum closure after_pair(struct predictor *p, ev_id a, ev_id b)
{
    thr_id of = thread_of(p, a);
    for (thr_id i = 0; i < p->k; i++) {
        uint32_t first = /* with a in its past */
            SEARCH(at, p->w.a[i], p->w.b[i],
                   clock_at(p, place_of(&p->w, i, at))[of] <= p->m->idx[a]);
        if (first == p->w.b[i] || model_at(p->m, i, first) == b)
            continue;
        enum closure o = window_add(p, b, model_at(p->m, i, first));
        if (o != DONE)
            return o;
    }
    return DONE;
}

static enum closure rules_of_pairs(struct predictor *p)
{
    for (uint32_t i = 0; i + 1 < p->count; i++) {
        if (!(p->adjacent >> i & 1))
            continue;
        enum closure o = before_pair(p, p->goal[i], p->goal[i + 1]);
        if (o == DONE)
            o = after_pair(p, p->goal[i], p->goal[i + 1]);
        if (o != DONE)
            return o;
    }
    return DONE;
}

/* Clocks know what lies before the window, what their thread knew before and nothing behind
 * their own event; an edge's end has its beginning in its past; nothing is left to be passed
 * on. */
static void window_check(struct predictor *p)
{
    const struct window *w = &p->w;
    CHECK(w->spread.len == 0 && w->queue.len == 0 && w->next.len == w->target.len);
    for (thr_id t = 0; t < p->k; t++)
        for (uint32_t idx = w->a[t]; idx < w->b[t]; idx++) {
            uint32_t at = place_of(w, t, idx);
            const uint32_t *clock = clock_at(p, at);
            CHECK(clock[t] == idx && !w->queued.at[at]);
            for (thr_id i = 0; i < p->k; i++) {
                CHECK(clock[i] >= w->a[i] && clock[i] <= w->b[i]);
                CHECK(idx == w->a[t] || clock[i] >= clock_at(p, at - 1)[i]);
            }
            for (uint32_t i = w->head.at[at]; i != NONE; i = w->next.at[i])
                CHECK(window_before(p, model_at(p->m, t, idx), w->target.at[i]));
        }
}

enum closure window_settle(struct predictor *p)
{
    do {
        while (p->w.queue.len > 0) {
            ev_id e = p->w.queue.at[--p->w.queue.len];
            p->w.queued.at[place(p, e)] = false;
            if (!afford(p, 20 + 60 * p->k))
                return FAILED;
            enum closure o = rules(p, e);
            if (o != DONE)
                return o;
        }
        enum closure o = rules_of_pairs(p);
        if (o != DONE)
            return o;
    } while (p->w.queue.len > 0);
    if (p->w.count <= CHECKED_MAX)
        CHECK_ALL(window_check(p));
    return DONE;
}

/* ---- building -------------------------------------------------------------------------- */

/* First idx of thread t, at most n, whose event is at or behind e in the trace. */
uint32_t idx_from(const struct predictor *p, thr_id t, uint32_t n, ev_id e)
{
    return SEARCH(i, 0, n, model_at(p->m, t, i) < e);
}

static bool window_place(struct predictor *p)
{
    struct window *w = &p->w;
    w->count = 0;
    for (thr_id t = 0; t < p->k; t++) {
        w->a[t] = idx_from(p, t, len_of(p, t), w->lo);
        w->b[t] = idx_from(p, t, len_of(p, t), w->hi + 1);
        CHECK(w->a[t] <= w->b[t] && w->b[t] <= len_of(p, t));
        w->base[t] = w->count;
        w->count += w->b[t] - w->a[t];
    }
    if (!afford(p, (uint64_t)w->count * (50 + 5 * p->k)))
        return false;
    CHECK((uint64_t)w->count * p->k < UINT32_MAX);
    vec_reserve(&w->clock, w->count * p->k + 1);
    vec_reserve(&w->head, w->count + 1);
    vec_reserve(&w->queued, w->count + 1);
    memset(w->head.at, 0xff, w->count * sizeof *w->head.at);
    memset(w->queued.at, 0, w->count * sizeof *w->queued.at);
    w->next.len = w->target.len = w->queue.len = w->spread.len = 0;
    return true;
}

/* An edge of the recorded order that always holds. */
static void fact(struct predictor *p, ev_id from, ev_id to)
{
    if (from == NONE || from >= to || !in_cut(p, from) || !inside(p, from))
        return;
    edge_add(p, from, to);
    pass_on(p, from, to);
}

/* Leads through the model's needs and bars. */
struct lead {
    uint32_t need, bar;
};

/* Those that end at e; they come by what they end at. */
static void facts_of(struct predictor *p, const struct need *at, uint32_t count, ev_id e,
                     uint32_t *next)
{
    for (; *next < count && at[*next].to <= e; ++*next)
        if (at[*next].to == e)
            fact(p, at[*next].from, e);
}

/* E2, E3, E4: what directly precedes e. */
static void facts(struct predictor *p, ev_id e, struct lead *lead)
{
    const struct model *m = p->m;
    const struct wait *wait;
    if (m->idx[e] == 0)
        fact(p, p->create[thread_of(p, e)], e);
    switch (m->ev[e].kind) {
    case EV_JOIN:
        if (m->threads[m->obj[e]].len > 0)
            fact(p, model_at(m, m->obj[e], m->threads[m->obj[e]].len - 1), e);
        else
            fact(p, p->create[m->obj[e]], e);
        break;
    case EV_ACQUIRE:
    case EV_WAIT_LEAVE:
    case EV_FUTEX_WAIT:
        wait = wait_ended_by(p, e);
        if (wait && wait->notify != NONE)
            fact(p, wait->notify, e);
        break;
    default:
        break;
    }
    facts_of(p, m->needs, m->need_count, e, &lead->need);
    facts_of(p, m->bars, m->bar_count, e, &lead->bar);
    if (!model_reads(m, e) || !is_firm(p, e))
        return;
    struct span cells = model_cells(m, e);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++)
        fact(p, model_source(m, e, c), e);
}

static bool window_build(struct predictor *p)
{
    struct window *w = &p->w;
    struct lead lead = {needs_of(p->m, w->lo), bars_of(p->m, w->lo)};
    if (!afford(p, w->hi - w->lo + 1) || !window_place(p))
        return false;
    for (ev_id e = w->lo; e <= w->hi; e++) {
        thr_id t = thread_of(p, e);
        uint32_t idx = p->m->idx[e];
        if (!in_window(w, t, idx))
            continue;
        memcpy(clock_at(p, place(p, e)), w->a, p->k * sizeof *w->a);
        if (idx > w->a[t])
            pass_on(p, model_at(p->m, t, idx - 1), e);
        facts(p, e, &lead);
        enqueue(p, e);
    }
    return true;
}

/* E4: reads of the initial value precede all writes. */
static enum closure add_initial(struct predictor *p, ev_id e, cell_id c)
{
    for (thr_id t = 0; t < p->k; t++) {
        ev_id w = first_write(p, c, t, p->w.a[t], p->w.b[t]);
        if (w == e) /* an update sees what it replaces */
            w = first_write(p, c, t, p->m->idx[e] + 1, p->w.b[t]);
        enum closure o = w == NONE ? DONE : window_add(p, e, w);
        if (o != DONE)
            return o;
    }
    return DONE;
}

static bool is_asked(const struct predictor *p, ev_id e)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->goal[i] == e)
            return true;
    return false;
}

/* E3: a wait begins before it is woken, if its end happens or is to be tried; not if it is
 * asked whether it lasts for ever. */
static enum closure add_waits(struct predictor *p)
{
    bool is_tried = p->kind != QUERY_BLOCKED;
    for (uint32_t i = 0; i < p->m->wait_count; i++) {
        const struct wait *w = &p->m->waits[i];
        ev_id end = w->acquire != NONE ? w->acquire : w->leave;
        if (end == NONE || w->notify == NONE ||
            !(in_cut(p, end) || (is_tried && is_asked(p, end))))
            continue;
        enum closure o = window_add(p, w->enter, w->notify);
        if (o != DONE)
            return o;
    }
    return DONE;
}

static enum closure add_backgrounds(struct predictor *p)
{
    const struct model *m = p->m;
    enum closure o = add_waits(p);
    for (ev_id e = p->w.lo; o == DONE && e <= p->w.hi; e++) {
        if (!inside(p, e) || !model_reads(m, e) || !is_firm(p, e))
            continue;
        struct span cells = model_cells(m, e);
        for (cell_id c = cells.first; o == DONE && c < cells.first + cells.count; c++)
            if (model_source(m, e, c) == NONE)
                o = add_initial(p, e, c);
    }
    return o;
}

/* ---- closing --------------------------------------------------------------------------- */

/* E5, and L2: everybody else's sections end before one that stays open begins. */
static enum closure seed(struct predictor *p)
{
    p->seeds.len = 0;
    for (uint32_t i = 0; i + 1 < p->ordered; i++)
        vec_push(&p->seeds, (struct edge){p->goal[i], p->goal[i + 1]});
    for (uint32_t i = 0; i < p->keep.len; i++)
        for (thr_id t = 0; t < p->k; t++) {
            ev_id kept = p->keep.at[i];
            ev_id a = t == thread_of(p, kept) ? NONE : last_rival(p, kept, t, 0, len_of(p, t));
            if (a == NONE)
                continue;
            ev_id release = p->m->link[a];
            if (is_stuck(p, a))
                return FAILED;
            if (!in_cut(p, release))
                return cut_need(p, release) ? GREW : FAILED;
            vec_push(&p->seeds, (struct edge){release, kept});
        }
    return DONE;
}

/* The window that the seeds against the recorded order span. */
static void window_span(struct predictor *p)
{
    struct window *w = &p->w;
    w->lo = NONE;
    w->hi = 0;
    for (uint32_t i = 0; i < p->seeds.len; i++) {
        struct edge s = p->seeds.at[i];
        if (s.from < s.to && !(p->whole || p->adjacent))
            continue;
        ev_id low = s.from < s.to ? s.from : s.to, high = s.from < s.to ? s.to : s.from;
        w->lo = low < w->lo ? low : w->lo;
        w->hi = high > w->hi ? high : w->hi;
    }
    ev_id end = cut_end(p);
    if ((p->whole || p->adjacent) && end > 0) {
        w->lo = 0;
        w->hi = end - 1;
    }
}

static enum closure window_try(struct predictor *p, bool choose)
{
    enum closure o;
    if (!window_build(p))
        return FAILED;
    for (uint32_t i = 0; i < p->seeds.len; i++)
        if ((o = window_add(p, p->seeds.at[i].from, p->seeds.at[i].to)) != DONE)
            return o;
    o = add_backgrounds(p);
    if (o == DONE)
        o = window_settle(p);
    return o == DONE && choose ? choose_all(p) : o;
}

/* A window that is too large does no harm, but growing step by step costs too much. */
static void window_double(struct predictor *p)
{
    struct window *w = &p->w;
    ev_id more = (w->hi - w->lo) / 2, last = cut_end(p) - 1;
    w->lo -= more < w->lo ? more : w->lo;
    w->hi = more < last - w->hi ? w->hi + more : last;
}

enum closure window_close(struct predictor *p, bool choose)
{
    enum closure o = seed(p);
    if (o != DONE)
        return o;
    window_span(p);
    if (p->w.lo > p->w.hi)
        return DONE;
    for (unsigned widened = 1; (o = window_try(p, choose)) == WIDER; widened++)
        if (widened % 4 == 0)
            window_double(p);
    return o;
}

void window_init(struct predictor *p)
{
    p->w.a = calloc(p->k + 1, sizeof *p->w.a);
    p->w.b = calloc(p->k + 1, sizeof *p->w.b);
    p->w.base = calloc(p->k + 1, sizeof *p->w.base);
    CHECK(p->w.a && p->w.b && p->w.base);
}

void window_done(struct predictor *p)
{
    free(p->w.a);
    free(p->w.b);
    free(p->w.base);
    vec_done(&p->w.clock);
    vec_done(&p->w.head);
    vec_done(&p->w.next);
    vec_done(&p->w.target);
    vec_done(&p->w.queue);
    vec_done(&p->w.queued);
    vec_done(&p->w.spread);
}
