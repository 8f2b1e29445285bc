/* SPDX-License-Identifier: Apache-2.0
 *
 * supply: semaphores, and refusals that say a lock or semaphore could not be had. Which threads
 * can give what an event needs is often a choice; here is what follows without one, what the
 * trace chose, and what there is to choose from.
 *
 * Of a semaphore only counts matter: at no time more has been taken than it held at first and
 * was posted. */
#include "predict/engine.h"

#include "base/search.h"

#include <string.h>

enum { NETS_BLOCK = 64 };

/* ---- levels ------------------------------------------------------------------------------ *
 * nets[i] is what the list has given before its entry i: posts count up, waits down. */

static const struct semaphore *semaphore_of(const struct predictor *p, ev_id e)
{
    uint32_t at = map_find(&p->semaphore_of, p->m->obj[e]);
    return at == NONE ? NULL : &p->semaphores.at[at];
}

/* Where the list of s stands when thread t has executed n events. */
static uint32_t place_of(const struct predictor *p, const struct semaphore *s, thr_id t,
                         uint32_t n)
{
    return s->first + list_before(p->m, p->sem_events + s->first, s->count, t, n);
}

/* What thread t has given in its first n events. */
static int64_t given(const struct predictor *p, const struct semaphore *s, thr_id t, uint32_t n)
{
    return p->nets[place_of(p, s, t, n)] - p->nets[place_of(p, s, t, 0)];
}

/* The most that nets comes to in [from, to]. */
static int64_t best(const struct predictor *p, uint32_t from, uint32_t to)
{
    int64_t most = p->nets[from];
    for (uint32_t i = from; i <= to;) {
        bool block = i % NETS_BLOCK == 0 && i + NETS_BLOCK - 1 <= to;
        int64_t value = block ? p->nets_best[i / NETS_BLOCK] : p->nets[i];
        most = value > most ? value : most;
        i += block ? NETS_BLOCK : 1;
    }
    return most;
}

/* The first post in [from, to) with which nets comes to so much; NONE. */
static ev_id post_reaching(const struct predictor *p, uint32_t from, uint32_t to, int64_t net)
{
    for (uint32_t i = from; i <= to;) {
        if (i % NETS_BLOCK == 0 && p->nets_best[i / NETS_BLOCK] < net) {
            i += NETS_BLOCK;
            continue;
        }
        if (p->nets[i] >= net)
            return i > from ? p->sem_events[i - 1] : NONE;
        i++;
    }
    return NONE;
}

static uint32_t end_of(const struct predictor *p, thr_id t)
{
    uint32_t len = p->m->threads[t].len;
    return p->limit[t] < len ? p->limit[t] : len;
}

int64_t supply_level(const struct predictor *p, sync_id id, const uint32_t *at)
{
    const struct semaphore *s = &p->semaphores.at[map_find(&p->semaphore_of, id)];
    int64_t level = p->m->syncs[id].level;
    for (thr_id t = 0; t < p->k; t++)
        level += given(p, s, t, at[t]);
    return level;
}

/* ---- what follows ------------------------------------------------------------------------ */

/* What threads can still give before something: thread t goes from place from[t] in the list at
 * most to place to[t], and gives at best amount[t]. */
struct offers {
    uint32_t *from, *to;
    int64_t *amount;
    int64_t all, missing;
};

static void offer(struct predictor *p, struct offers *o, const struct semaphore *s, thr_id t,
                  uint32_t n, uint32_t until)
{
    o->from[t] = place_of(p, s, t, n);
    o->to[t] = place_of(p, s, t, until);
    o->amount[t] = best(p, o->from[t], o->to[t]) - p->nets[o->from[t]];
    o->all += o->amount[t];
}

/* Where the others cannot give enough, a thread's post must come first: before e, or, if e is
 * NONE, at all. */
static enum closure demand(struct predictor *p, const struct offers *o, ev_id e)
{
    if (o->all < o->missing)
        return FAILED;
    for (thr_id t = 0; t < p->k; t++) {
        int64_t must = o->missing - (o->all - o->amount[t]);
        if (o->amount[t] == 0 || must <= 0)
            continue;
        ev_id post = post_reaching(p, o->from[t], o->to[t], p->nets[o->from[t]] + must);
        enum closure r = DONE;
        if (!in_cut(p, post))
            r = cut_need(p, post) ? GREW : FAILED;
        else if (e != NONE)
            r = window_add(p, post, e);
        if (r != DONE)
            return r;
    }
    return DONE;
}

/* First idx of thread t in the window that has e in its past; the end of the cut if none. */
static uint32_t first_after(const struct predictor *p, ev_id e, thr_id t)
{
    const struct window *w = &p->w;
    uint32_t first =
        SEARCH(i, w->a[t], w->b[t],
               window_clock(p, model_at(p->m, t, i))[thread_of(p, e)] <= p->m->idx[e]);
    return first < w->b[t] ? first : len_of(p, t);
}

/* So many events of thread t are known to come before e: none, or into the window. */
static uint32_t known_before(const struct predictor *p, ev_id e, thr_id t)
{
    uint32_t n = window_clock(p, e)[t];
    return n > p->w.a[t] ? n : 0;
}

enum closure supply_rule(struct predictor *p, ev_id e)
{
    const struct semaphore *s = semaphore_of(p, e);
    struct offers o = {p->supply_from, p->supply_to, p->supply_amount, 0, 0};
    thr_id self = thread_of(p, e);
    bool waits = p->m->ev[e].kind == EV_SEM_WAIT;
    o.missing = -(int64_t)p->m->syncs[p->m->obj[e]].level;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t n = t == self ? p->m->idx[e] + waits : known_before(p, e, t);
        o.missing -= given(p, s, t, n);
        uint32_t until = t == self ? n : first_after(p, e, t);
        if (t != self && until == len_of(p, t))
            until = end_of(p, t);
        offer(p, &o, s, t, n, until);
    }
    return o.missing <= 0 ? DONE : demand(p, &o, e);
}

/* What the cut takes from one semaphore has to be there. */
static enum closure supply_one(struct predictor *p, const struct semaphore *s)
{
    struct offers o = {p->supply_from, p->supply_to, p->supply_amount, 0, 0};
    o.missing = -supply_level(p, s->sync, p->now);
    for (thr_id t = 0; o.missing > 0 && t < p->k; t++)
        offer(p, &o, s, t, len_of(p, t), end_of(p, t));
    return o.missing <= 0 ? DONE : demand(p, &o, NONE);
}

enum closure supply_all(struct predictor *p)
{
    enum closure o = DONE;
    for (uint32_t i = 0; o == DONE && i < p->semaphores.len; i++)
        o = supply_one(p, &p->semaphores.at[i]);
    return o;
}

/* ---- refusals ---------------------------------------------------------------------------- */

bool is_busy(const struct predictor *p, ev_id e)
{
    unsigned kind = p->m->ev[e].kind;
    return (kind == EV_REFUSED || kind == EV_TIMEOUT) && (p->m->ev[e].detail & DETAIL_BUSY);
}

/* Where the refused thread itself has the lock, nobody else has to. */
static bool is_own(const struct predictor *p, ev_id e)
{
    ev_id a = last_rival(p, e, thread_of(p, e), 0, p->m->idx[e]);
    return a != NONE && (p->m->link[a] == NONE || p->m->link[a] > e);
}

ev_id supply_taker(const struct predictor *p, ev_id e)
{
    const struct model *m = p->m;
    for (thr_id t = 0; t < p->k && !is_own(p, e); t++) {
        if (t == thread_of(p, e))
            continue;
        ev_id a = last_rival(p, e, t, 0, idx_from(p, t, m->threads[t].len, e));
        if (a != NONE && (m->link[a] == NONE || m->link[a] > e))
            return a;
    }
    return NONE;
}

/* Sections of thread t that may have been under way at e: the first begins at `first`; `last`
 * is the last one, and may_grow says that there are more behind the cut. */
struct takers {
    ev_id first, last;
    bool may_grow;
};

static struct takers takers_of(const struct predictor *p, ev_id e, thr_id t)
{
    const struct model *m = p->m;
    struct takers k = {NONE, NONE, false};
    uint32_t known = known_before(p, e, t), after = first_after(p, e, t);
    uint32_t until = after == len_of(p, t) ? end_of(p, t) : after;
    ev_id a = last_rival(p, e, t, 0, known); /* may still be under way */
    if (a != NONE && m->link[a] != NONE && m->idx[m->link[a]] < known)
        a = NONE;
    if (a == NONE)
        a = first_rival(p, e, t, known, until);
    if (a == NONE)
        return k;
    k.first = a;
    k.last = last_rival(p, e, t, 0, until);
    k.may_grow = !in_cut(p, k.last);
    return k;
}

enum closure supply_busy_rule(struct predictor *p, ev_id e)
{
    struct takers only = {NONE, NONE, false};
    if (p->m->syncs[p->m->obj[e]].on == ON_SEM || is_own(p, e))
        return DONE;
    for (thr_id t = 0; t < p->k; t++) {
        struct takers k = {NONE, NONE, false};
        if (t != thread_of(p, e))
            k = takers_of(p, e, t);
        if (k.first == NONE)
            continue;
        if (only.first != NONE)
            return DONE; /* one of several threads */
        only = k;
    }
    if (only.first == NONE)
        return FAILED;
    if (!in_cut(p, only.first))
        return cut_need(p, only.first) ? GREW : FAILED;
    enum closure o = window_add(p, only.first, e);
    ev_id release = p->m->link[only.last];
    if (o != DONE || only.may_grow || release == NONE || !in_cut(p, release))
        return o;
    return window_add(p, e, release);
}

/* ---- as recorded ------------------------------------------------------------------------- */

/* Wants of the first n events of thread t: by thread, so many of its events; or NULL. */
static const uint32_t *wants_at(const struct predictor *p, thr_id t, uint32_t n)
{
    const marks *list = &p->wants[t];
    uint32_t low = SEARCH(i, 0, list->len, list->at[i].p <= n);
    return low ? p->wants_pool.at + (size_t)list->at[low - 1].at * p->k : NULL;
}

/* A thread that lacks something that the trace gave to another, or NONE. */
static thr_id lacking(const struct predictor *p)
{
    for (thr_id t = 0; p->has_choices && t < p->k; t++) {
        const uint32_t *want = wants_at(p, t, len_of(p, t));
        for (thr_id i = 0; want && i < p->k; i++)
            if (len_of(p, i) < want[i])
                return t;
    }
    return NONE;
}

bool supply_is_recorded(const struct predictor *p)
{
    return lacking(p) == NONE;
}

bool supply_as_recorded(struct predictor *p)
{
    for (thr_id t; (t = lacking(p)) != NONE;) {
        const uint32_t *want = wants_at(p, t, len_of(p, t));
        for (thr_id i = 0; i < p->k; i++)
            if (len_of(p, i) < want[i] && !need_events(p, i, want[i]))
                return false;
    }
    return true;
}

/* ---- choices ----------------------------------------------------------------------------- */

/* Does what the cut takes from a semaphore have to come from one of several threads? */
static const struct semaphore *short_of(const struct predictor *p)
{
    for (uint32_t i = 0; i < p->semaphores.len; i++)
        if (supply_level(p, p->semaphores.at[i].sync, p->now) < 0)
            return &p->semaphores.at[i];
    return NULL;
}

/* With this post thread t has given more than in the cut; NONE. */
static ev_id next_gain(const struct predictor *p, const struct semaphore *s, thr_id t)
{
    uint32_t from = place_of(p, s, t, len_of(p, t)), to = place_of(p, s, t, end_of(p, t));
    return post_reaching(p, from, to, p->nets[from] + 1);
}

uint32_t supply_choices(const struct predictor *p, ev_id *out)
{
    const struct semaphore *s = short_of(p);
    uint32_t count = 0;
    for (thr_id t = 0; s && t < p->k && count < SUPPLY_CHOICES_MAX; t++) {
        ev_id post = next_gain(p, s, t);
        if (post != NONE)
            out[count++] = post;
    }
    return count;
}

static uint32_t add_choice(const struct predictor *p, ev_id e, ev_id *out, uint32_t count)
{
    if (e == NONE || p->m->idx[e] >= end_of(p, thread_of(p, e)) || count == SUPPLY_CHOICES_MAX)
        return count;
    for (uint32_t i = 0; i < count; i++)
        if (out[i] == e)
            return count;
    out[count] = e;
    return count + 1;
}

static ev_id next_post(const struct predictor *p, const struct semaphore *s, thr_id t)
{
    uint32_t i = place_of(p, s, t, len_of(p, t)), end = place_of(p, s, t, end_of(p, t));
    while (i < end && p->m->ev[p->sem_events[i]].kind != EV_SEM_POST)
        i++;
    return i < end ? p->sem_events[i] : NONE;
}

uint32_t supply_more(const struct predictor *p, ev_id *out)
{
    uint32_t count = 0;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t len = len_of(p, t);
        for (uint32_t i = 0; i < p->busy.len; i++) {
            ev_id e = p->busy.at[i];
            if (in_cut(p, e) && thread_of(p, e) != t && p->m->syncs[p->m->obj[e]].on == ON_LOCK)
                count = add_choice(p, first_rival(p, e, t, len, end_of(p, t)), out, count);
        }
        for (uint32_t i = 0; i < p->semaphores.len; i++)
            count = add_choice(p, next_post(p, &p->semaphores.at[i], t), out, count);
    }
    return count;
}

/* ---- building ---------------------------------------------------------------------------- */

static void add_semaphore(struct predictor *p, sync_id id)
{
    const struct model *m = p->m;
    struct semaphore s = {id, p->net_count, 0};
    for (uint32_t i = m->sync_first[id]; i < m->sync_first[id + 1]; i++) {
        ev_id e = m->sync_events[i];
        bool post = m->ev[e].kind == EV_SEM_POST;
        if (!post && m->ev[e].kind != EV_SEM_WAIT)
            continue;
        int64_t *net = &p->nets[p->net_count];
        p->sem_events[p->net_count++] = e;
        net[1] = net[0] + (post ? (int64_t)m->link[e] : -1);
        s.count++;
    }
    if (s.count == 0)
        return;
    *map_at(&p->semaphore_of, id) = p->semaphores.len;
    vec_push(&p->semaphores, s);
}

/* One unit of a semaphore, and who posted it. */
struct unit {
    ev_id post;
    uint32_t count;
};

struct recorder {
    struct predictor *p;
    uint32_t *want;           /* by thread, thread */
    VEC(struct unit) * units; /* by sync: posted and not taken, oldest first ... */
    uint32_t *taken;          /* ... from this one on */
};

static void want(struct recorder *r, ev_id e, ev_id other)
{
    struct predictor *p = r->p;
    thr_id t = thread_of(p, e), of = thread_of(p, other);
    uint32_t *at = &r->want[(size_t)t * p->k + of];
    if (t == of || *at > p->m->idx[other])
        return;
    *at = p->m->idx[other] + 1;
    marks *list = &p->wants[t];
    if (list->len == 0 || list->at[list->len - 1].p != p->m->idx[e] + 1) {
        vec_push(list, (struct mark){p->m->idx[e] + 1, p->wants_pool.len / p->k});
        for (thr_id i = 0; i < p->k; i++)
            vec_push(&p->wants_pool, 0);
    }
    memcpy(p->wants_pool.at + p->wants_pool.len - p->k, r->want + (size_t)t * p->k,
           p->k * sizeof *r->want);
}

static void record_wait(struct recorder *r, ev_id e)
{
    sync_id id = r->p->m->obj[e];
    if (r->taken[id] == r->units[id].len)
        return;
    struct unit *u = &r->units[id].at[r->taken[id]];
    if (u->post != NONE)
        want(r, e, u->post);
    if (--u->count == 0)
        r->taken[id]++;
}

/* The last wait of every thread: then the semaphore is empty as it was. */
static void record_empty(struct recorder *r, ev_id e)
{
    const struct predictor *p = r->p;
    const struct semaphore *s = semaphore_of(p, e);
    for (thr_id t = 0; s && t < p->k; t++) {
        uint32_t n = idx_from(p, t, p->m->threads[t].len, e);
        ev_id last = list_last(p->m, p->sem_events + s->first, s->count, t, 0, n);
        while (last != NONE && p->m->ev[last].kind != EV_SEM_WAIT)
            last = list_last(p->m, p->sem_events + s->first, s->count, t, 0, p->m->idx[last]);
        if (last != NONE)
            want(r, e, last);
    }
}

static void record_event(struct recorder *r, ev_id e)
{
    const struct model *m = r->p->m;
    unsigned kind = m->ev[e].kind;
    if (kind == EV_SEM_POST) {
        vec_push(&r->units[m->obj[e]], (struct unit){e, m->link[e]});
    } else if (kind == EV_SEM_WAIT) {
        record_wait(r, e);
    } else if (is_busy(r->p, e)) {
        r->p->has_choices = true;
        vec_push(&r->p->busy, e);
        ev_id taker = m->syncs[m->obj[e]].on == ON_SEM ? NONE : supply_taker(r->p, e);
        if (taker != NONE)
            want(r, e, taker);
        else
            record_empty(r, e);
    }
}

static void record_wants(struct predictor *p)
{
    const struct model *m = p->m;
    struct recorder r = {.p = p};
    r.want = calloc((size_t)p->k * p->k + 1, sizeof *r.want);
    r.units = calloc(m->sync_count + 1, sizeof *r.units);
    r.taken = calloc(m->sync_count + 1, sizeof *r.taken);
    CHECK(r.want && r.units && r.taken);
    for (sync_id s = 0; s < m->sync_count; s++)
        if (m->syncs[s].level > 0)
            vec_push(&r.units[s], (struct unit){NONE, m->syncs[s].level});
    for (ev_id e = 0; e < m->ev_count; e++)
        record_event(&r, e);
    for (sync_id s = 0; s < m->sync_count; s++)
        vec_done(&r.units[s]);
    free(r.want);
    free(r.units);
    free(r.taken);
}

/* How many posts and waits of semaphores there are. */
static uint32_t count_events(const struct model *m)
{
    uint32_t count = 0;
    for (ev_id e = 0; e < m->ev_count; e++)
        count += m->ev[e].kind == EV_SEM_POST || m->ev[e].kind == EV_SEM_WAIT;
    return count;
}

void supply_init(struct predictor *p)
{
    const struct model *m = p->m;
    uint32_t count = count_events(m);
    uint32_t blocks = count / NETS_BLOCK + 1;
    p->nets = calloc(count + 1, sizeof *p->nets);
    p->nets_best = calloc(blocks, sizeof *p->nets_best);
    p->sem_events = calloc(count + 1, sizeof *p->sem_events);
    p->wants = calloc(p->k + 1, sizeof *p->wants);
    CHECK(p->nets && p->nets_best && p->sem_events && p->wants);
    p->has_choices = count > 0;
    for (sync_id s = 0; count > 0 && s < m->sync_count; s++)
        add_semaphore(p, s);
    for (uint32_t i = 0; i <= p->net_count; i++)
        if (i % NETS_BLOCK == 0 || p->nets[i] > p->nets_best[i / NETS_BLOCK])
            p->nets_best[i / NETS_BLOCK] = p->nets[i];
    record_wants(p);
}

void supply_done(struct predictor *p)
{
    void *parts[] = {p->nets, p->nets_best, p->sem_events};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    for (thr_id t = 0; t < p->k; t++)
        vec_done(&p->wants[t]);
    free(p->wants);
    vec_done(&p->wants_pool);
    vec_done(&p->busy);
    vec_done(&p->semaphores);
    map_done(&p->semaphore_of);
}
