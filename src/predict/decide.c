/* SPDX-License-Identifier: Apache-2.0
 *
 * decide: one query from start to answer (SEQCHECK 5). What the query needs is closed; then
 * the recorded order is kept as far as it can be; then the choices about sections that may
 * stay open are searched, first in a window and at last over everything. */
#include "predict/engine.h"

#include <string.h>

enum {
    LEAVES_MAX = 64,
    WHOLE_MAX = 20000, /* events */
    GROW_MAX = 2000,   /* events of a cut that may get more than it needs */
    FILTER_SHARE = 8,  /* of the work that a query may cost, one part */
};

/* ---- what the query needs -------------------------------------------------------------- */

static bool need_frontier(struct predictor *p)
{
    for (uint32_t i = p->ordered; i < p->count; i++) {
        ev_id d = p->goal[i];
        thr_id t = thread_of(p, d);
        if (p->limit[t] != NONE)
            return false; /* two events of one thread cannot both be its next */
        p->limit[t] = p->m->idx[d];
        prefix_join(&p->prefix, t, p->m->idx[d], p->mode == MODE_CLASSIC, p->now);
        ev_id create = p->m->ev[d].kind == EV_JOIN ? p->create[p->m->obj[d]] : NONE;
        if (create != NONE)
            cut_need(p, create);
        const struct wait *w = wait_ended_by(p, d);
        if (w && w->notify != NONE && p->kind != QUERY_BLOCKED)
            cut_need(p, w->notify);
        const struct need *n = p->m->needs;
        for (uint32_t j = needs_of(p->m, d); j < p->m->need_count && n[j].to == d; j++)
            if (!blocked_by_needs(p, d))
                cut_need(p, n[j].from);
    }
    return within_limits(p);
}

static bool need_order(struct predictor *p)
{
    for (uint32_t i = 0; i < p->ordered; i++) {
        cut_need(p, p->goal[i]);
        for (uint32_t j = i + 1; j < p->ordered; j++)
            if (must_precede(p, p->goal[j], p->goal[i]))
                return false;
    }
    return within_limits(p);
}

static bool need_query(struct predictor *p)
{
    memset(p->now, 0, 2 * p->k * sizeof *p->now);
    memset(p->limit, 0xff, p->k * sizeof *p->limit);
    if (p->kind == QUERY_UNORDERED)
        return cut_need(p, p->goal[0]) && cut_need(p, p->goal[1]);
    return need_frontier(p) && need_order(p);
}

/* ---- sections open at the end of the cut ----------------------------------------------- */

typedef bool (*section_fn)(struct predictor *p, ev_id acquire); /* false: stop */

static bool each_open(struct predictor *p, section_fn visit)
{
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t n = len_of(p, t);
        for (uint32_t i = model_held(p->m, t, n); i != NONE; i = model_held_next(p->m, i, n))
            if (!visit(p, p->m->acquires[i]))
                return false;
    }
    return true;
}

static bool add_kept(struct predictor *p, ev_id acquire)
{
    if (is_stuck(p, acquire) && has_rival(p, acquire))
        vec_push(&p->keep, acquire);
    return true;
}

static enum closure close_once(struct predictor *p, bool choose)
{
    p->keep.len = 0;
    each_open(p, add_kept);
    enum closure o = p->has_choices ? supply_all(p) : DONE;
    return o == DONE ? window_close(p, choose) : o;
}

/* Everything that follows without a choice. */
static bool close_all(struct predictor *p)
{
    enum closure o;
    while ((o = close_once(p, false)) == GREW)
        continue;
    return o == DONE;
}

/* ---- as recorded ----------------------------------------------------------------------- */

/* Ends a section that others follow in the trace; false, to start anew. */
static bool end_followed(struct predictor *p, ev_id acquire)
{
    ev_id rival = is_stuck(p, acquire) ? NONE : latest_rival(p, acquire);
    if (rival == NONE || rival < acquire)
        return true;
    cut_need(p, p->m->link[acquire]);
    return false;
}

static bool try_recorded(struct predictor *p)
{
    enum closure o;
    do {
        while (!each_open(p, end_followed) || !supply_is_recorded(p))
            if (!within_limits(p) || !supply_as_recorded(p))
                return false;
        o = close_once(p, true);
    } while (o == GREW);
    return o == DONE && linear_order(p) && blocked_as_asked(p);
}

/* The same with everything that comes before the query's events in the trace, needed or not:
 * the witness then leaves the trace late, and is short. */
static bool try_near(struct predictor *p)
{
    ev_id near = p->good_end;
    for (uint32_t i = 0; i < p->count; i++)
        near = p->goal[i] < near ? p->goal[i] : near;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t n = idx_from(p, t, p->m->threads[t].len, near);
        if (n > len_of(p, t))
            prefix_join(&p->prefix, t, n, false, p->now);
    }
    return within_limits(p) && try_recorded(p);
}

/* ---- search ---------------------------------------------------------------------------- */

struct saved {
    uint32_t *at;
};

static struct saved save(const struct predictor *p)
{
    struct saved s = {mem_get(3 * p->k * sizeof *s.at)};
    memcpy(s.at, p->now, 2 * p->k * sizeof *s.at);
    memcpy(s.at + 2 * p->k, p->limit, p->k * sizeof *s.at);
    return s;
}

static void restore(struct predictor *p, struct saved s)
{
    memcpy(p->now, s.at, 2 * p->k * sizeof *s.at);
    memcpy(p->limit, s.at + 2 * p->k, p->k * sizeof *s.at);
}

/* An open section that could stay open or end, with rivals; NONE. */
static ev_id undecided(const struct predictor *p)
{
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t n = len_of(p, t);
        for (uint32_t i = model_held(p->m, t, n); i != NONE; i = model_held_next(p->m, i, n)) {
            ev_id a = p->m->acquires[i];
            if (!is_stuck(p, a) && has_rival(p, a))
                return a;
        }
    }
    return NONE;
}

/* The open section of the lock that is the last one in the trace before `before`. */
static ev_id open_before(const struct predictor *p, sync_id lock, ev_id before)
{
    ev_id latest = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id a = last_acquire(p, lock, t, 0, len_of(p, t));
        if (a == NONE || a >= before || is_stuck(p, a) || in_cut(p, p->m->link[a]))
            continue;
        if (latest == NONE || a > latest)
            latest = a;
    }
    return latest;
}

static bool end_all_open(struct predictor *p, sync_id lock)
{
    for (ev_id a; (a = open_before(p, lock, NONE)) != NONE;)
        if (!cut_need(p, p->m->link[a]))
            return false;
    return true;
}

static uint64_t cut_size(const struct predictor *p)
{
    uint64_t size = 0;
    for (thr_id t = 0; t < p->k; t++)
        size += p->now[t];
    return size;
}

/* No choice is left: put it in order. GREW: new choices have come. */
static enum closure leaf_order(struct predictor *p)
{
    enum closure o = close_once(p, true);
    if (o == DONE && linear_order(p))
        return blocked_as_asked(p) ? DONE : FAILED;
    if (o != DONE || !p->whole)
        return o == DONE ? FAILED : o;
    o = choose_pairs(p);
    return o == DONE && !(linear_order(p) && blocked_as_asked(p)) ? FAILED : o;
}

/* The recorded order stands outside the window only if all is there that it rests on. */
static enum closure leaf(struct predictor *p)
{
    if (p->budget == 0)
        return FAILED;
    p->budget--;
    bool whole = p->whole;
    p->whole |= !supply_is_recorded(p);
    p->exhausted |= p->whole && cut_size(p) > WHOLE_MAX;
    enum closure o = p->whole && cut_size(p) > WHOLE_MAX ? FAILED : leaf_order(p);
    p->whole = whole;
    return o;
}

/* One way to go on from a cut that leaves a choice. */
struct option {
    enum { STAYS_OPEN, ALL_END, HAPPENS } what;
    ev_id e; /* the section that stays open, or some section of the lock; the event */
};

typedef VEC(struct option) options;

static void options_of(struct predictor *p, options *out)
{
    ev_id open = undecided(p), more[SUPPLY_CHOICES_MAX];
    if (open != NONE) {
        sync_id lock = p->m->obj[open];
        for (ev_id a = NONE; (a = open_before(p, lock, a)) != NONE;)
            vec_push(out, (struct option){STAYS_OPEN, a});
        vec_push(out, (struct option){ALL_END, open});
        return;
    }
    uint32_t count = p->has_choices ? supply_choices(p, more) : 0;
    p->unproved |= count == SUPPLY_CHOICES_MAX; /* there may be more */
    for (uint32_t i = 0; i < count; i++)
        vec_push(out, (struct option){HAPPENS, more[i]});
}

static bool take(struct predictor *p, struct option o)
{
    switch (o.what) {
    case STAYS_OPEN:
        p->limit[thread_of(p, o.e)] = p->m->idx[p->m->link[o.e]];
        return true;
    case ALL_END:
        return end_all_open(p, p->m->obj[o.e]);
    default:
        return cut_need(p, o.e);
    }
}

/* Nothing has to be added, but more may help. */
static void more_options(const struct predictor *p, options *out)
{
    ev_id more[SUPPLY_CHOICES_MAX];
    uint32_t count = p->has_choices && cut_size(p) <= GROW_MAX ? supply_more(p, more) : 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(out, (struct option){HAPPENS, more[i]});
}

/* The options are all there are: if each leads to a contradiction, that is a proof. A leaf that
 * could not be put in order is none. */
static bool search(struct predictor *p)
{
    p->unproved |= p->budget == 0;
    if (p->budget == 0 || p->spent || !close_all(p))
        return false;
    options list = {0};
    options_of(p, &list);
    struct saved s = save(p);
    bool found = false;
    if (list.len == 0) {
        enum closure o = leaf(p);
        found = o == GREW ? search(p) : o == DONE;
        if (o == FAILED) {
            p->unproved = true;
            restore(p, s);
            more_options(p, &list);
        }
    }
    for (uint32_t i = 0; !found && i < list.len; i++) {
        found = take(p, list.at[i]) && search(p);
        if (!found)
            restore(p, s);
    }
    free(s.at);
    vec_done(&list);
    return found;
}

static bool search_from(struct predictor *p, struct saved start, bool whole)
{
    restore(p, start);
    p->budget = LEAVES_MAX;
    p->whole = whole;
    p->unproved = false;
    bool found = search(p);
    p->whole = false;
    return found;
}

/* ---- the answer ------------------------------------------------------------------------ */

static uint32_t active_threads(const struct predictor *p)
{
    uint32_t count = 0;
    for (thr_id t = 0; t < p->k; t++)
        count += p->m->threads[t].len > 0;
    return count;
}

/* Looks for an order, the cheapest way first. */
static bool find_order(struct predictor *p)
{
    struct saved start = save(p);
    bool found = try_near(p);
    if (!found) {
        restore(p, start);
        found = try_recorded(p);
    }
    if (found) {
        ++*(p->w.lo > p->w.hi ? &p->stat.trace_order : &p->stat.windows);
    } else if ((found = search_from(p, start, false))) {
        p->stat.searches++;
    } else if (p->unproved) {
        restore(p, start);
        if (cut_size(p) <= WHOLE_MAX && (found = search_from(p, start, true)))
            p->stat.full++;
    }
    free(start.at);
    return found;
}

/* The first filter: what cannot happen even if data did not matter (mode sync) cannot happen.
 * Few events are needed then, and windows are small. (UCG, corrected: SEQCHECK 9. Its barriers
 * come by themselves: no section is open at one, so no window reaches across.) */
static bool is_refuted(struct predictor *p)
{
    if (p->mode == MODE_SYNC || p->has_choices)
        return false;
    enum mode mode = p->mode;
    struct prefix own = p->prefix;
    uint64_t max = p->work_max;
    p->mode = MODE_SYNC;
    p->prefix = p->sync;
    p->work_max = max / FILTER_SHARE;
    bool refuted = !(need_query(p) && close_all(p)) && !p->spent;
    p->mode = mode;
    p->prefix = own;
    p->work_max = max;
    p->spent = false;
    return refuted;
}

static enum answer decide_within(struct predictor *p)
{
    p->stat.queries++;
    p->whole = p->exhausted = p->unproved = p->spent = false;
    p->work = 0;
    if (!need_query(p)) {
        p->stat.clocks_no++;
        return ANSWER_NO;
    }
    if (is_refuted(p)) {
        p->stat.sync_no++;
        return ANSWER_NO;
    }
    need_query(p);
    if (!close_all(p) && !p->spent) {
        p->stat.closure_no++;
        return ANSWER_NO;
    }
    if (!p->spent && find_order(p))
        return ANSWER_YES;
    if (p->spent) {
        p->stat.too_long++;
        return ANSWER_UNKNOWN;
    }
    if (!p->unproved) {
        p->stat.closure_no++;
        return ANSWER_NO;
    }
    p->stat.not_found++;
    bool complete = p->budget > 0 && !p->exhausted && cut_size(p) <= WHOLE_MAX &&
                    p->kind != QUERY_BLOCKED; /* more events may block what these do not */
    return active_threads(p) <= 2 && complete ? ANSWER_NO : ANSWER_UNKNOWN;
}

static enum answer decide_query(struct predictor *p)
{
    enum answer answer = decide_within(p);
    p->stat.work += p->work;
    p->stat.work_most = p->work > p->stat.work_most ? p->work : p->stat.work_most;
    return answer;
}

/* Accesses that can be next at once are unordered. Others may be as the trace has them. */
enum answer query_decide(struct predictor *p)
{
    CHECK(p->count > 0 && p->count <= QUERY_MAX && p->ordered <= p->count);
    if (p->kind != QUERY_UNORDERED)
        return decide_query(p);
    p->kind = QUERY_RACE;
    enum answer answer = decide_query(p);
    p->kind = QUERY_UNORDERED;
    return answer == ANSWER_YES ? answer : decide_query(p);
}
