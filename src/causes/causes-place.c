/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-place: where a run does what a pattern is about. One thread's steps of it are a half;
 * two halves of different threads that meet in the same memory are a place, and their events'
 * order says whether the pattern is there.
 *
 * To flip a pattern of three steps or four, every half is made one step, as a lock would make
 * it; of two steps, their order is turned round. To force it, its steps are put in order. */
#include "causes/gather.h"

enum {
    HALVES_MAX = 400, /* of each thread's sort that are looked at */
    REACH = 64,       /* accesses of a thread that the second step of a half may be behind */
    PLACES_MAX = 16   /* that force looks for */
};

struct half {
    ev_id ev[2];
    uint32_t count;
};

struct place_of {
    struct half a, b;
    uint64_t spread;
};

typedef VEC(struct half) halves;

static uint32_t site_of(const struct seen_run *r, ev_id e)
{
    CHECK(e < r->model->ev_count && model_number(r->model, e) < r->ev_count);
    return r->ev[model_number(r->model, e)].site;
}

static bool meets(const struct model *m, ev_id a, ev_id b)
{
    struct span x = model_cells(m, a), y = model_cells(m, b);
    return x.first < y.first + y.count && y.first < x.first + x.count;
}

static bool does(const struct seen_run *r, const struct possible_cause *s, uint32_t step,
                 ev_id e)
{
    CHECK(s->kind == CAUSE_PATTERN && s->pattern <= CAUSE_PATTERNS && step < s->count);
    bool writes = pattern_rows[s->pattern].step[step].writes;
    return site_of(r, e) == s->site[step] &&
           (writes ? model_writes(r->model, e) : model_reads(r->model, e));
}

/* ---- halves ----------------------------------------------------------------------------- */

/* The steps of this thread of the pattern: one or two. */
static uint32_t steps_of(const struct possible_cause *s, uint32_t thread, uint32_t *out)
{
    const struct pattern_row *row = &pattern_rows[s->pattern];
    uint32_t count = 0;
    for (uint32_t i = 0; i < row->count; i++)
        if (row->step[i].thread == thread)
            out[count++] = i;
    return count;
}

static bool second_fits(const struct seen_run *r, const struct possible_cause *s,
                        const uint32_t *step, ev_id first, ev_id e)
{
    const struct pattern_step *row = pattern_rows[s->pattern].step;
    bool is_same = row[step[0]].variable == row[step[1]].variable;
    return does(r, s, step[1], e) && meets(r->model, first, e) == is_same;
}

static void find_halves(halves *out, const struct seen_run *r, const struct possible_cause *s,
                        uint32_t thread)
{
    const struct model *m = r->model;
    uint32_t step[PATTERN_STEPS], count = steps_of(s, thread, step);
    CHECK(count >= 1 && count <= 2);
    for (ev_id e = 0; e < m->ev_count && out->len < HALVES_MAX; e++) {
        if (!model_touches(m, e) || !does(r, s, step[0], e))
            continue;
        struct half h = {.ev = {e, e}, .count = count};
        const struct model_thread *t = &m->threads[m->ev[e].thr];
        uint32_t i = m->idx[e] + 1, end = i + REACH;
        if (count > 1) {
            while (i < t->len && i < end &&
                   !(model_touches(m, m->by_thread[t->first + i]) &&
                     second_fits(r, s, step, e, m->by_thread[t->first + i])))
                i++;
            if (i >= t->len || i == end)
                continue;
            h.ev[1] = m->by_thread[t->first + i];
        }
        vec_push(out, h);
    }
}

/* ---- places ----------------------------------------------------------------------------- */

/* The events of the place, in the order of the pattern. */
static void events_of(const struct possible_cause *s, const struct place_of *p, ev_id *out)
{
    CHECK(pattern_rows[s->pattern].count <= PATTERN_STEPS);
    const struct pattern_row *row = &pattern_rows[s->pattern];
    uint32_t used[2] = {0, 0};
    for (uint32_t i = 0; i < row->count; i++) {
        const struct half *h = row->step[i].thread == 0 ? &p->a : &p->b;
        out[i] = h->ev[used[row->step[i].thread]++];
    }
}

static bool is_place(const struct seen_run *r, const struct possible_cause *s,
                     const struct place_of *p)
{
    const struct pattern_row *row = &pattern_rows[s->pattern];
    ev_id ev[PATTERN_STEPS];
    if (r->model->ev[p->a.ev[0]].thr == r->model->ev[p->b.ev[0]].thr)
        return false;
    events_of(s, p, ev);
    for (uint32_t i = 1; i < row->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (row->step[i].variable == row->step[j].variable &&
                !meets(r->model, ev[i], ev[j]))
                return false;
    return true;
}

static bool is_in_order(const struct possible_cause *s, const struct place_of *p)
{
    ev_id ev[PATTERN_STEPS];
    events_of(s, p, ev);
    for (uint32_t i = 1; i < s->count; i++)
        if (ev[i] < ev[i - 1])
            return false;
    return true;
}

static uint64_t spread_of(const struct possible_cause *s, const struct place_of *p)
{
    ev_id ev[PATTERN_STEPS], low = UINT32_MAX, high = 0;
    events_of(s, p, ev);
    for (uint32_t i = 0; i < s->count; i++) {
        low = ev[i] < low ? ev[i] : low;
        high = ev[i] > high ? ev[i] : high;
    }
    return high - low;
}

/* Keeps the nearest ones, in a list that is sorted by how far they are spread. */
static void keep_place(struct place_of *list, uint32_t *count, struct place_of p)
{
    uint32_t at = *count;
    while (at > 0 && list[at - 1].spread > p.spread) {
        if (at < PLACES_MAX)
            list[at] = list[at - 1];
        at--;
    }
    if (at < PLACES_MAX)
        list[at] = p;
    if (*count < PLACES_MAX)
        ++*count;
}

/* Places that have the pattern, or have not. */
static uint32_t find_places(struct place_of *out, const struct seen_run *r,
                            const struct possible_cause *s, const halves *a, const halves *b,
                            bool in_order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->len; i++)
        for (uint32_t j = 0; j < b->len; j++) {
            struct place_of p = {.a = a->at[i], .b = b->at[j]};
            if (is_in_order(s, &p) != in_order || !is_place(r, s, &p))
                continue;
            p.spread = spread_of(s, &p);
            keep_place(out, &count, p);
        }
    return count;
}

/* ---- wishes ----------------------------------------------------------------------------- */

/* The acquire that a thread's hold of this lock began with, or NONE. */
static uint32_t acquire_before(const struct seen_run *r, uint32_t e, uint32_t object)
{
    uint32_t thr = r->ev[e].thr;
    for (uint32_t i = e + 1; i-- > r->ev[e].held_first;) {
        const struct happening *h = &r->ev[i];
        if (h->thr != thr || h->object != object)
            continue;
        if (h->kind == EV_RELEASE && h->depth == 0)
            return NONE;
        if (h->kind == EV_ACQUIRE && h->depth <= 1)
            return i;
    }
    return NONE;
}

static uint32_t release_behind(const struct seen_run *r, uint32_t e, uint32_t object)
{
    for (uint32_t i = e; i < r->ev_count && i <= r->ev[e].held_last; i++)
        if (r->ev[i].thr == r->ev[e].thr && r->ev[i].object == object &&
            r->ev[i].kind == EV_RELEASE && r->ev[i].depth == 0)
            return i;
    return NONE;
}

void wish_before(struct wish *w, const struct seen_run *r, uint32_t p, uint32_t q)
{
    for (uint32_t i = r->ev[q].held_first; i < q; i++) {
        const struct happening *h = &r->ev[i];
        if (h->thr != r->ev[q].thr || h->kind != EV_ACQUIRE || h->depth > 1 ||
            acquire_before(r, q, h->object) != i || acquire_before(r, p, h->object) == NONE)
            continue;
        uint32_t release = release_behind(r, p, h->object);
        if (release != NONE)
            vec_push(&w->firsts, (struct before){release, i});
    }
    vec_push(&w->firsts, (struct before){p, q});
}

/* With the locks that it holds at its ends, so that who waits for it holds none of them. */
static void add_stretch(struct wish *w, const struct seen_run *r, const struct half *h)
{
    uint32_t first = model_number(r->model, h->ev[0]), last = model_number(r->model, h->ev[1]);
    struct stretch s = {r->ev[first].held_first, r->ev[last].held_last};
    for (uint32_t i = 0; i < w->stretches.len; i++)
        if (w->stretches.at[i].first == s.first && w->stretches.at[i].last == s.last)
            return;
    vec_push(&w->stretches, s);
}

static void mark(struct plan *out, const struct seen_run *r, const ev_id *ev, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out->ev[i] = model_number(r->model, ev[i]);
    out->count = count;
}

static void plan_places(struct plan *out, const struct seen_run *r,
                        const struct possible_cause *s, const halves *a, const halves *b,
                        const struct place_of *p)
{
    ev_id ev[PATTERN_STEPS];
    if (s->count == 2) {
        wish_before(&out->wish, r, model_number(r->model, p->b.ev[0]),
                    model_number(r->model, p->a.ev[0]));
        mark(out, r, (ev_id[]){p->b.ev[0], p->a.ev[0]}, 2);
        return;
    }
    for (uint32_t i = 0; i < a->len; i++)
        add_stretch(&out->wish, r, &a->at[i]);
    for (uint32_t i = 0; i < b->len; i++)
        add_stretch(&out->wish, r, &b->at[i]);
    events_of(s, p, ev);
    mark(out, r, ev, s->count);
}

/* ---- plans ------------------------------------------------------------------------------ */

bool plan_flip(struct plan *out, const struct seen_run *r, const struct possible_cause *s)
{
    if (s->kind != CAUSE_PATTERN)
        return stuck_flip(out, r, s);
    halves a = {0}, b = {0};
    struct place_of places[PLACES_MAX];
    *out = (struct plan){0};
    find_halves(&a, r, s, 0);
    find_halves(&b, r, s, 1);
    uint32_t count = find_places(places, r, s, &a, &b, true);
    if (count > 0)
        plan_places(out, r, s, &a, &b, &places[0]);
    vec_done(&a);
    vec_done(&b);
    return count > 0;
}

bool plan_force(struct plan *out, const struct seen_run *r, const struct possible_cause *s,
                uint32_t n)
{
    if (s->kind != CAUSE_PATTERN)
        return stuck_force(out, r, s, n);
    halves a = {0}, b = {0};
    struct place_of places[PLACES_MAX];
    *out = (struct plan){0};
    find_halves(&a, r, s, 0);
    find_halves(&b, r, s, 1);
    uint32_t count = find_places(places, r, s, &a, &b, false);
    vec_done(&a);
    vec_done(&b);
    if (n >= count)
        return false;
    ev_id ev[PATTERN_STEPS];
    events_of(s, &places[n], ev);
    mark(out, r, ev, s->count);
    for (uint32_t i = 1; i < s->count; i++)
        wish_before(&out->wish, r, out->ev[i - 1], out->ev[i]);
    return true;
}

void plan_done(struct plan *p)
{
    vec_done(&p->wish.firsts);
    vec_done(&p->wish.stretches);
    vec_done(&p->wish.cuts);
}
