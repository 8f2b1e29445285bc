/* SPDX-License-Identifier: Apache-2.0
 *
 * order: reachability is kept as a matrix of bits, whole at every moment: a pair is added by
 * joining rows. Mutual exclusion adds more: if something of one section comes before something
 * of another one of the same lock, all of it does. What no closure decides (which of two
 * sections goes first) is chosen when a line is asked for. */
#include "verify/order.h"

#include <stdlib.h>
#include <string.h>

/* ---- must-happen-before ------------------------------------------------------------------ */

/* From this event of a thread on so many events of each thread are known to have happened. */
struct since {
    uint32_t idx;
    uint32_t *known; /* owned; by thread */
};

struct must {
    const struct model *model;
    struct must_thread {
        VEC(struct since) since;
    } *threads;
};

static void learn(struct must *m, thr_id thr, uint32_t idx, thr_id from, uint32_t count)
{
    CHECK(thr < m->model->thread_count && from < m->model->thread_count);
    CHECK(count <= m->model->threads[from].len);
    uint32_t threads = m->model->thread_count;
    struct must_thread *t = &m->threads[thr];
    uint32_t *known = mem_zeroed(threads + 1, sizeof *known);
    if (t->since.len > 0)
        memcpy(known, t->since.at[t->since.len - 1].known, threads * sizeof *known);
    const struct must_thread *other = &m->threads[from];
    for (uint32_t i = 0; other->since.len > 0 && i < threads; i++) {
        uint32_t theirs = other->since.at[other->since.len - 1].known[i];
        known[i] = theirs > known[i] ? theirs : known[i];
    }
    known[from] = count > known[from] ? count : known[from];
    CHECK(t->since.len == 0 || t->since.at[t->since.len - 1].idx <= idx);
    vec_push(&t->since, (struct since){idx, known});
}

struct must *must_new(const struct model *model)
{
    struct must *m = mem_zeroed(1, sizeof *m);
    m->model = model;
    m->threads = mem_zeroed(model->thread_count + 1, sizeof *m->threads);
    for (ev_id e = 0; e < model->ev_count; e++) {
        thr_id thr = model->ev[e].thr;
        if (model->ev[e].kind == EV_CREATE)
            learn(m, model->obj[e], 0, thr, model->idx[e] + 1);
        else if (model->ev[e].kind == EV_JOIN)
            learn(m, thr, model->idx[e], model->obj[e], model->threads[model->obj[e]].len);
    }
    return m;
}

void must_free(struct must *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->model->thread_count; i++) {
        for (uint32_t k = 0; k < m->threads[i].since.len; k++)
            free(m->threads[i].since.at[k].known);
        vec_done(&m->threads[i].since);
    }
    free(m->threads);
    free(m);
}

bool must_before(const struct must *m, ev_id a, ev_id b)
{
    CHECK(a < m->model->ev_count && b < m->model->ev_count);
    const struct model *model = m->model;
    thr_id ta = model->ev[a].thr, tb = model->ev[b].thr;
    if (ta == tb)
        return model->idx[a] < model->idx[b];
    const struct must_thread *t = &m->threads[tb];
    uint32_t at = t->since.len;
    while (at > 0 && t->since.at[at - 1].idx > model->idx[b])
        at--;
    return at > 0 && t->since.at[at - 1].known[ta] > model->idx[a];
}

/* ---- orders ------------------------------------------------------------------------------ */

enum { WORDS = ORDER_NODES_MAX / 64, CHECKED_MAX = 64 };

typedef uint64_t bit_row[WORDS];

struct section {
    uint32_t acquire, release; /* nodes; release NONE: it is never given back */
    sync_id lock;
    thr_id thr;
    bool is_shared;
};

struct order {
    const struct must *must;
    VEC(ev_id) nodes;
    struct map at;  /* event -> node */
    bit_row *after; /* by node: what comes after it */
    VEC(struct section) sections;
    sync_id blame, last; /* the lock that was used last in this addition, or NONE */
    bool is_full;
    bit_row *saved; /* as it was before the addition */
};

struct order *order_new(const struct must *must)
{
    struct order *o = mem_zeroed(1, sizeof *o);
    o->must = must;
    o->after = mem_zeroed(ORDER_NODES_MAX, sizeof *o->after);
    o->saved = mem_zeroed(ORDER_NODES_MAX, sizeof *o->saved);
    o->blame = NONE;
    return o;
}

void order_free(struct order *o)
{
    if (!o)
        return;
    vec_done(&o->nodes);
    vec_done(&o->sections);
    map_done(&o->at);
    free(o->after);
    free(o->saved);
    free(o);
}

static bool has(const struct order *o, uint32_t a, uint32_t b)
{
    return o->after[a][b / 64] >> b % 64 & 1;
}

/* False: b comes before a already. */
static bool join(struct order *o, uint32_t a, uint32_t b)
{
    CHECK(a < o->nodes.len && b < o->nodes.len);
    if (a == b || has(o, b, a))
        return false;
    if (has(o, a, b))
        return true;
    bit_row add;
    memcpy(add, o->after[b], sizeof add);
    add[b / 64] |= (uint64_t)1 << b % 64;
    for (uint32_t i = 0; i < o->nodes.len; i++)
        if (i == a || has(o, i, a))
            for (uint32_t w = 0; w < WORDS; w++)
                o->after[i][w] |= add[w];
    return true;
}

static const struct model *model_of(const struct order *o)
{
    return o->must->model;
}

/* NONE: there is no room. What must be can always be added: the trace itself is such an order,
 * but for pairs that were added before. */
static uint32_t node(struct order *o, ev_id e, bool *fits)
{
    uint32_t known = map_find(&o->at, e);
    if (known != NONE)
        return known;
    if (o->nodes.len == ORDER_NODES_MAX) {
        o->is_full = true;
        return NONE;
    }
    uint32_t n = o->nodes.len;
    vec_push(&o->nodes, e);
    *map_at(&o->at, e) = n;
    memset(o->after[n], 0, sizeof o->after[n]);
    for (uint32_t i = 0; i < n; i++) {
        if (must_before(o->must, o->nodes.at[i], e))
            *fits &= join(o, i, n);
        else if (must_before(o->must, e, o->nodes.at[i]))
            *fits &= join(o, n, i);
    }
    return n;
}

static bool is_lock(const struct model *m, ev_id acquire)
{
    return ev_acts_on(m->ev[acquire].kind) == ON_LOCK;
}

/* The release; if the trace ends inside of the section because of the failure, which says
 * nothing about where it would end, the last event of the thread. NONE: it never ends. */
static ev_id section_end(const struct model *m, ev_id acquire)
{
    const struct model_thread *t = &m->threads[m->ev[acquire].thr];
    bool is_cut = m->link[acquire] == NONE && (m->trace->head.flags & TRACE_UNENFORCED);
    return is_cut ? m->by_thread[t->first + t->len - 1] : m->link[acquire];
}

static bool add_section(struct order *o, ev_id acquire, bool *fits)
{
    const struct model *m = model_of(o);
    if (map_find(&o->at, acquire) != NONE || !is_lock(m, acquire))
        return true;
    struct section s = {.lock = m->obj[acquire],
                        .thr = m->ev[acquire].thr,
                        .is_shared = m->ev[acquire].detail & FLAG(SHARED)};
    s.acquire = node(o, acquire, fits);
    ev_id end = section_end(m, acquire);
    s.release = end == NONE ? NONE : node(o, end, fits);
    if (o->is_full)
        return false;
    vec_push(&o->sections, s);
    return true;
}

/* The event with the sections that it stands in. */
static uint32_t add_event(struct order *o, ev_id e, bool *fits)
{
    const struct model *m = model_of(o);
    uint32_t p = m->idx[e];
    for (uint32_t i = model_held(m, m->ev[e].thr, p); i != NONE; i = model_held_next(m, i, p))
        if (!add_section(o, m->acquires[i], fits))
            return NONE;
    return node(o, e, fits);
}

/* Is there a reason why a goes before b, and not b before a? */
static bool must_lead(const struct order *o, const struct section *a, const struct section *b)
{
    return b->release == NONE || has(o, a->acquire, b->release);
}

/* False: two sections would have to overlap. */
static bool exclude(struct order *o)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < o->sections.len; i++) {
            for (uint32_t k = 0; k < o->sections.len; k++) {
                const struct section *a = &o->sections.at[i], *b = &o->sections.at[k];
                if (a->lock != b->lock || a->thr == b->thr || (a->is_shared && b->is_shared) ||
                    !must_lead(o, a, b))
                    continue;
                if (a->release != NONE && has(o, a->release, b->acquire))
                    continue;
                o->last = a->lock;
                if (a->release == NONE || !join(o, a->release, b->acquire))
                    return false;
                again = true;
            }
        }
    }
    return true;
}

/* Back to what was saved. */
static bool undo(struct order *o, uint32_t nodes, uint32_t sections)
{
    o->blame = o->last;
    CHECK(nodes <= o->nodes.len && sections <= o->sections.len);
    while (o->nodes.len > nodes)
        map_remove(&o->at, o->nodes.at[--o->nodes.len]);
    o->sections.len = sections;
    memcpy(o->after, o->saved, sizeof *o->after * nodes);
    return false;
}

/* Nothing comes before itself, what must be is there, and sections begin before they end. */
static void order_check(const struct order *o)
{
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        CHECK(!has(o, i, i) && map_find(&o->at, o->nodes.at[i]) == i);
        for (uint32_t k = 0; k < o->nodes.len; k++)
            CHECK(has(o, i, k) || !must_before(o->must, o->nodes.at[i], o->nodes.at[k]));
    }
    for (uint32_t i = 0; i < o->sections.len; i++) {
        const struct section *s = &o->sections.at[i];
        CHECK(s->acquire < o->nodes.len && s->lock < model_of(o)->sync_count);
        CHECK(s->release == NONE || has(o, s->acquire, s->release));
    }
}

bool order_add(struct order *o, const ev_id (*pairs)[2], uint32_t count)
{
    uint32_t nodes = o->nodes.len, sections = o->sections.len;
    bool fits = true;
    memcpy(o->saved, o->after, sizeof *o->after * nodes);
    o->last = NONE;
    o->is_full = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = add_event(o, pairs[i][0], &fits), b = add_event(o, pairs[i][1], &fits);
        if (a == NONE || b == NONE)
            return undo(o, nodes, sections);
        fits = fits && join(o, a, b);
    }
    if (!fits || !exclude(o))
        return undo(o, nodes, sections);
    if (o->nodes.len <= CHECKED_MAX)
        CHECK_ALL(order_check(o));
    return true;
}

sync_id order_blame(const struct order *o)
{
    return o->blame;
}

bool order_is_full(const struct order *o)
{
    return o->is_full;
}

/* ---- a line ------------------------------------------------------------------------------ */

/* One of two sections goes first: the one that did in the trace, if that is possible. */
static bool choose(struct order *o, const struct section *a, const struct section *b)
{
    if (a->release == NONE ||
        (b->release != NONE && o->nodes.at[b->acquire] < o->nodes.at[a->acquire])) {
        const struct section *swap = a;
        a = b;
        b = swap;
    }
    CHECK(a->release != NONE); /* exclude: two that never end do not fit */
    bit_row *before = mem_get(sizeof *before * ORDER_NODES_MAX);
    memcpy(before, o->after, sizeof *before * ORDER_NODES_MAX);
    bool done = join(o, a->release, b->acquire) && exclude(o);
    if (!done && b->release != NONE) {
        memcpy(o->after, before, sizeof *before * ORDER_NODES_MAX);
        done = join(o, b->release, a->acquire) && exclude(o);
    }
    free(before);
    return done;
}

static bool choose_all(struct order *o)
{
    for (uint32_t i = 0; i < o->sections.len; i++) {
        for (uint32_t k = i + 1; k < o->sections.len; k++) {
            const struct section *a = &o->sections.at[i], *b = &o->sections.at[k];
            if (a->lock != b->lock || a->thr == b->thr || (a->is_shared && b->is_shared))
                continue;
            bool is_decided = (a->release != NONE && has(o, a->release, b->acquire)) ||
                              (b->release != NONE && has(o, b->release, a->acquire));
            if (!is_decided && !choose(o, a, b))
                return false;
        }
    }
    return true;
}

bool order_line(struct order *o, const uint32_t *rank, ev_id *out, uint32_t *count)
{
    bool done[ORDER_NODES_MAX] = {0};
    if (!choose_all(o))
        return false;
    *count = 0;
    while (*count < o->nodes.len) {
        uint32_t best = NONE;
        for (uint32_t i = 0; i < o->nodes.len; i++) {
            bool is_next = !done[i];
            for (uint32_t k = 0; is_next && k < o->nodes.len; k++)
                is_next = done[k] || !has(o, k, i);
            if (is_next && (best == NONE || rank[o->nodes.at[i]] < rank[o->nodes.at[best]]))
                best = i;
        }
        CHECK(best != NONE);
        done[best] = true;
        out[(*count)++] = o->nodes.at[best];
    }
    return true;
}

ev_id section_of(const struct model *m, ev_id e, sync_id lock)
{
    CHECK(lock < m->sync_count && e < m->ev_count);
    uint32_t p = m->idx[e];
    for (uint32_t i = model_held(m, m->ev[e].thr, p); i != NONE; i = model_held_next(m, i, p))
        if (m->obj[m->acquires[i]] == lock && is_lock(m, m->acquires[i]))
            return m->acquires[i];
    return NONE;
}
