/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-deadlock: requests of different threads in a cycle, each for a lock that the next
 * one's thread holds, for that thread's end, or for a signal, post or arrival that it has yet
 * to do. A cycle is looked for from its first request in the trace; two threads that hold the
 * same lock cannot both be where it needs them.
 *
 * What a request can be for is a `thing`: a sync object by its id, the end of a thread by its
 * number behind those. */
#include "predict/engine.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

typedef uint32_t thing_id;

/* What the search asks of a request again and again. */
struct request {
    ev_id e;
    thr_id thr;
    uint32_t idx;
    thing_id thing;
    bool shared;
    bool provided;         /* ends by what another thread does: no lock, no end */
    uint32_t first, count; /* the locks its thread holds, in held */
    uint64_t locks;        /* a bit for each of them, and for some others */
};

/* A lock that a request's thread holds. */
struct held {
    sync_id lock;
    bool shared;
};

/* With what excludes most of them beside each other: the requests themselves lie far apart. */
struct holding {
    thing_id thing;
    ev_id at; /* this request is made while the thread holds it, or has not ended */
    uint32_t request;
    bool shared;    /* only other shared requests can have it, too */
    thing_id wants; /* what the request is for ... */
    thr_id thr;     /* ... and its thread */
    uint64_t locks; /* as the request's */
};

enum {
    SCAN_LENGTH_MAX = 8, /* threads in a cycle, in the everyday search */
    SCAN_STEPS_MAX = 400000,
    FAR = UINT8_MAX,    /* no way back, or none that short */
    BACK_MAX = 1 << 26, /* bytes */
};

/* Somewhere `to` is asked for while `from` is held. */
struct nesting {
    thing_id from, to;
};

struct finder {
    struct predictor *p;
    VEC(struct request) requests; /* whose thread has something that others may wait for */
    VEC(uint32_t) rows;           /* by request, thread: so many of its events are needed */
    VEC(struct held) held;
    VEC(struct holding) holdings; /* by thing, then request */
    VEC(struct nesting) nestings; /* by to, then from; each once */
    VEC(ev_id) joins;
    providers providers;
    uint32_t *provider_first; /* by thread: where its part of them begins */
    uint32_t *provides;       /* by thread: behind its last event that is among them */
    struct tries seen;        /* requests, while they are collected */
    bool *awaited;            /* by thread: one that cannot go on may wait for its end */
    uint64_t *holders;        /* by thing: a bit for each thread that holds it somewhere */
    uint8_t **back; /* by thing: by thing, so many requests lead from that to this; or NULL */
    size_t back_bytes;
    VEC(thing_id) reached;     /* while that is found out */
    VEC(const uint8_t *) ways; /* back to each thing that the first thread has */
    uint32_t path[QUERY_MAX];  /* requests */
    uint32_t len, max;         /* of the path */
    uint64_t steps;            /* left */
    struct scan *scan;         /* NULL: every cycle is asked about */
    predicted_fn found;
    void *arg;
};

static int by_thing(const void *left, const void *right)
{
    const struct holding *a = left, *b = right;
    if (a->thing != b->thing)
        return a->thing < b->thing ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static thing_id thing_of(const struct model *m, ev_id q)
{
    return m->ev[q].kind == EV_JOIN ? m->sync_count + m->obj[q] : m->obj[q];
}

static const struct request *request_of(const struct finder *f, uint32_t place)
{
    return &f->requests.at[f->path[place]];
}

/* Requests at one site by one thread with the same locks held, from h on, count as one, after a
 * few. */
static bool is_new(struct finder *f, ev_id q, thing_id thing, uint32_t h)
{
    const struct model *m = f->p->m;
    uint64_t key = hash_u64((uint64_t)m->ev[q].thr << 32 | model_site(m, q)) + thing;
    for (; h != NONE; h = model_held_next(m, h, m->idx[q]))
        key = hash_u64(key ^ ((uint64_t)m->obj[m->acquires[h]] << 8));
    bool is = tries_left(&f->seen, key);
    tries_note(&f->seen, key, ANSWER_NO);
    f->scan->skipped += !is;
    return is;
}

/* Does thread t still do something, from its event n on, that others may wait for? */
static bool provides_more(const struct finder *f, thr_id t, uint32_t n)
{
    return n < f->provides[t];
}

static int by_thread(const void *left, const void *right)
{
    const struct provider *a = left, *b = right;
    if (a->thr != b->thr)
        return a->thr < b->thr ? -1 : 1;
    return (a->sync > b->sync) - (a->sync < b->sync);
}

static void find_providers(struct finder *f)
{
    providers_find(f->p->m, &f->providers);
    if (f->providers.len > 0)
        qsort(f->providers.at, f->providers.len, sizeof *f->providers.at, by_thread);
    for (uint32_t i = f->providers.len; i-- > 0;) {
        const struct provider *x = &f->providers.at[i];
        if (f->provides[x->thr] <= x->until)
            f->provides[x->thr] = x->until + 1;
        f->provider_first[x->thr] = i;
    }
}

/* Calls visit for what thread t still provides from its event n on. */
static void each_provided(struct finder *f, thr_id t, uint32_t n, uint32_t arg,
                          void (*visit)(struct finder *f, sync_id s, uint32_t arg))
{
    if (!provides_more(f, t, n))
        return;
    for (uint32_t i = f->provider_first[t]; i < f->providers.len && f->providers.at[i].thr == t;
         i++)
        if (f->providers.at[i].until >= n)
            visit(f, f->providers.at[i].sync, arg);
}

/* Only time ends this wait. */
static bool is_timed(const struct model *m, ev_id q)
{
    return m->ev[q].detail & FLAG(TIMED);
}

/* h is what the thread holds. A try waits for nobody; a timed request does, in the everyday
 * search. */
static void add_request_for(struct finder *f, ev_id q, thing_id thing, bool provided,
                            uint32_t h)
{
    const struct model *m = f->p->m;
    thr_id t = m->ev[q].thr;
    uint32_t n = m->idx[q];
    bool is_alone = h == NONE && !f->awaited[t] && !provides_more(f, t, n);
    if (is_alone || (m->ev[q].detail & FLAG(TRY)) || (!f->scan && is_timed(m, q)) ||
        (f->scan && !is_new(f, q, thing, h)))
        return;
    struct request r = {.e = q,
                        .thr = t,
                        .idx = n,
                        .thing = thing,
                        .provided = provided,
                        .shared = m->ev[q].detail & FLAG(SHARED),
                        .first = f->held.len};
    uint32_t entry = prefix_place(&f->p->prefix, t, n);
    for (thr_id i = 0; i < f->p->k; i++)
        vec_push(&f->rows, entry == NONE ? 0 : prefix_entry(&f->p->prefix, entry, i));
    for (; h != NONE; h = model_held_next(m, h, n)) {
        ev_id a = m->acquires[h];
        vec_push(&f->held, (struct held){m->obj[a], m->ev[a].detail & FLAG(SHARED)});
        r.locks |= 1ULL << m->obj[a] % 64;
    }
    r.count = f->held.len - r.first;
    vec_push(&f->requests, r);
}

static uint32_t held_at(const struct finder *f, ev_id q)
{
    return model_held(f->p->m, f->p->m->ev[q].thr, f->p->m->idx[q]);
}

static void add_request(struct finder *f, ev_id q)
{
    add_request_for(f, q, thing_of(f->p->m, q), false, held_at(f, q));
}

static void add_wait(void *arg, ev_id q, sync_id s)
{
    add_request_for(arg, q, s, true, held_at(arg, q));
}

static void add_holding(struct finder *f, uint32_t i, thing_id thing, bool shared)
{
    const struct request *r = &f->requests.at[i];
    vec_push(&f->holdings,
             (struct holding){thing, r->e, i, shared, r->thing, r->thr, r->locks});
    f->holders[thing] |= 1ULL << r->thr % 64;
}

static void add_provided(struct finder *f, sync_id s, uint32_t i)
{
    add_holding(f, i, s, false);
}

static void add_holdings(struct finder *f, uint32_t i)
{
    const struct request *r = &f->requests.at[i];
    each_provided(f, r->thr, r->idx, i, add_provided);
    if (f->awaited[r->thr])
        add_holding(f, i, f->p->m->sync_count + r->thr, false);
    for (uint32_t h = r->first; h < r->first + r->count; h++)
        add_holding(f, i, f->held.at[h].lock, f->held.at[h].shared);
}

/* A join takes part if its thread holds a lock, provides something or is awaited itself. */
static void find_awaited(struct finder *f)
{
    const struct model *m = f->p->m;
    for (ev_id e = 0; e < m->ev_count; e++)
        if (m->ev[e].kind == EV_JOIN)
            vec_push(&f->joins, e);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->joins.len; i++) {
            ev_id e = f->joins.at[i];
            thr_id t = m->ev[e].thr;
            if (!f->awaited[m->obj[e]] &&
                (f->awaited[t] || model_held(m, t, m->idx[e]) != NONE ||
                 provides_more(f, t, m->idx[e])))
                more = f->awaited[m->obj[e]] = true;
        }
    }
}

/* Joins, waits for what others do, and requests that were never granted are for the everyday
 * search only. */
static void collect_others(struct finder *f)
{
    const struct model *m = f->p->m;
    for (uint32_t i = 0; i < f->joins.len; i++)
        if (f->awaited[m->obj[f->joins.at[i]]])
            add_request(f, f->joins.at[i]);
    for (thr_id t = 0; t < m->thread_count; t++) {
        uint32_t len = m->threads[t].len;
        ev_id last = len ? model_at(m, t, len - 1) : NONE;
        if (last != NONE && m->ev[last].kind == EV_REQUEST &&
            m->syncs[m->obj[last]].on == ON_LOCK)
            add_request(f, last);
    }
    provider_waits(m, add_wait, f);
}

static void collect(struct finder *f)
{
    const struct model *m = f->p->m;
    if (f->scan) {
        find_providers(f);
        find_awaited(f);
    }
    for (uint32_t i = 0; i < m->acquire_count; i++)
        add_request_for(f, m->acquires[i], m->obj[m->acquires[i]], false, m->outer[i]);
    if (f->scan)
        collect_others(f);
    map_done(&f->seen.by_key);
    for (uint32_t i = 0; i < f->requests.len; i++)
        add_holdings(f, i);
    if (f->holdings.len > 0)
        qsort(f->holdings.at, f->holdings.len, sizeof *f->holdings.at, by_thing);
}

/* The first one of a thing from this event on. */
static uint32_t holdings_from(const struct finder *f, thing_id thing, ev_id from)
{
    return SEARCH(i, 0, f->holdings.len,
                  f->holdings.at[i].thing < thing ||
                      (f->holdings.at[i].thing == thing && f->holdings.at[i].at < from));
}

static int by_target(const void *left, const void *right)
{
    const struct nesting *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static void collect_nestings(struct finder *f)
{
    for (uint32_t i = 0; i < f->holdings.len; i++) {
        const struct holding *h = &f->holdings.at[i];
        vec_push(&f->nestings, (struct nesting){h->thing, f->requests.at[h->request].thing});
    }
    if (f->nestings.len == 0)
        return;
    qsort(f->nestings.at, f->nestings.len, sizeof *f->nestings.at, by_target);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < f->nestings.len; i++)
        if (by_target(&f->nestings.at[kept - 1], &f->nestings.at[i]) != 0)
            f->nestings.at[kept++] = f->nestings.at[i];
    f->nestings.len = kept;
}

static void reach(struct finder *f, uint8_t *back, thing_id thing, unsigned requests)
{
    if (back[thing] != FAR)
        return;
    back[thing] = (uint8_t)requests;
    vec_push(&f->reached, thing);
}

static uint32_t nestings_to(const struct finder *f, thing_id thing)
{
    return SEARCH(i, 0, f->nestings.len, f->nestings.at[i].to < thing);
}

static uint32_t thing_count(const struct finder *f)
{
    return f->p->m->sync_count + f->p->k;
}

static void forget_ways(struct finder *f)
{
    for (thing_id thing = 0; thing < thing_count(f); thing++) {
        free(f->back[thing]);
        f->back[thing] = NULL;
    }
    f->back_bytes = 0;
}

/* By thing: how many requests lead from it to this one. */
static const uint8_t *ways_to(struct finder *f, thing_id goal)
{
    uint32_t count = thing_count(f);
    if (f->back[goal])
        return f->back[goal];
    uint8_t *back = mem_get(count + 1);
    memset(back, FAR, count);
    f->reached.len = 0;
    reach(f, back, goal, 0);
    for (uint32_t i = 0; i < f->reached.len; i++) {
        thing_id thing = f->reached.at[i];
        if (back[thing] + 1 >= FAR)
            break;
        for (uint32_t n = nestings_to(f, thing);
             n < f->nestings.len && f->nestings.at[n].to == thing; n++)
            reach(f, back, f->nestings.at[n].from, back[thing] + 1u);
    }
    f->back_bytes += count;
    return f->back[goal] = back;
}

static void add_way(struct finder *f, thing_id goal, uint32_t unused)
{
    (void)unused;
    vec_push(&f->ways, ways_to(f, goal));
}

/* From which things does a way lead back to what the first request's thread has? */
static void find_back(struct finder *f)
{
    const struct request *r = request_of(f, 0);
    if (f->back_bytes > BACK_MAX)
        forget_ways(f);
    f->ways.len = 0;
    each_provided(f, r->thr, r->idx, 0, add_way);
    if (f->awaited[r->thr])
        add_way(f, f->p->m->sync_count + r->thr, 0);
    for (uint32_t h = r->first; h < r->first + r->count; h++)
        add_way(f, f->held.at[h].lock, 0);
}

static uint32_t back_from(const struct finder *f, thing_id thing)
{
    uint32_t back = FAR;
    for (uint32_t i = 0; i < f->ways.len; i++)
        back = f->ways.at[i][thing] < back ? f->ways.at[i][thing] : back;
    return back;
}

/* Has b to be granted before a can be made? */
static bool needs(const struct finder *f, uint32_t a, const struct request *b)
{
    return f->rows.at[(size_t)a * f->p->k + b->thr] > b->idx;
}

/* Do both threads hold some lock in ways that exclude each other? */
static bool share_one(const struct finder *f, const struct request *a, const struct request *b)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++)
        for (uint32_t j = b->first; j < b->first + b->count; j++)
            if (f->held.at[i].lock == f->held.at[j].lock &&
                !(f->held.at[i].shared && f->held.at[j].shared))
                return true;
    return false;
}

static bool may_follow(const struct finder *f, const struct holding *h)
{
    if (h->at <= request_of(f, 0)->e)
        return false;
    uint32_t back = back_from(f, h->wants);
    if (back == FAR || f->len + 1 + back > f->max)
        return false;
    for (uint32_t at = 0; at < f->len; at++)
        if (request_of(f, at)->thr == h->thr)
            return false;
    const struct request *q = &f->requests.at[h->request];
    for (uint32_t at = 0; at < f->len; at++) {
        const struct request *other = request_of(f, at);
        if (((other->locks & h->locks) && share_one(f, other, q)) ||
            (f->scan && (needs(f, f->path[at], q) || needs(f, h->request, other))))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    ev_id a = *(const ev_id *)left, b = *(const ev_id *)right;
    return (a > b) - (a < b);
}

static bool is_provided(const struct finder *f)
{
    for (uint32_t i = 0; i < f->len; i++)
        if (request_of(f, i)->provided)
            return true;
    return false;
}

/* Threads that all give up after a time have made up their minds about the order of locks. */
static bool all_are_timed(const struct finder *f)
{
    for (uint32_t i = 0; i < f->len; i++)
        if (!is_timed(f->p->m, request_of(f, i)->e))
            return false;
    return true;
}

static void ask(struct finder *f)
{
    if (all_are_timed(f))
        return;
    struct predicted x = {.pattern = &pattern_deadlock,
                          .query = {.kind = QUERY_DEADLOCK, .count = f->len}};
    ev_id e[QUERY_MAX], sorted[QUERY_MAX];
    for (uint32_t i = 0; i < f->len; i++)
        e[i] = request_of(f, i)->e;
    memcpy(sorted, e, f->len * sizeof *e);
    qsort(sorted, f->len, sizeof *sorted, by_place);
    if (is_provided(f)) {
        ev_id all[QUERY_MAX];
        if (provider_query(f->p, sorted, f->len, all, &x))
            scan_ask(f->scan, &x, all, sites_key(f->p, e, f->len));
        return;
    }
    if (f->scan) {
        scan_ask(f->scan, &x, sorted, sites_key(f->p, e, f->len));
        return;
    }
    for (uint32_t i = 0; i < f->len; i++)
        x.query.number[i] = model_number(f->p->m, sorted[i]);
    ask_later(f->p, &x, f->found, f->arg);
}

/* The first request comes before this one in every execution: then it comes before all that
 * this thread makes from here on. True once that holds for all threads that hold the thing;
 * `over` has a bit for each. */
static bool is_over(const struct finder *f, const struct holding *h, uint64_t *over)
{
    if (!f->scan || f->p->k > 64 || !needs(f, h->request, request_of(f, 0)))
        return false;
    *over |= 1ULL << h->thr;
    return !(f->holders[h->thing] & ~*over & ~(1ULL << request_of(f, 0)->thr));
}

static void extend(struct finder *f)
{
    uint64_t over = 0;
    const struct request *before = request_of(f, f->len - 1);
    thing_id wanted = before->thing;
    bool shared = before->shared, provided = before->provided;
    ev_id wait = before->e;
    for (uint32_t i = holdings_from(f, wanted, request_of(f, 0)->e);
         i < f->holdings.len && f->holdings.at[i].thing == wanted; i++) {
        uint32_t q = f->holdings.at[i].request;
        if ((shared && f->holdings.at[i].shared) ||
            (provided &&
             !provider_can_end(f->p->m, wait, f->requests.at[q].thr, f->requests.at[q].idx)))
            continue;
        if (f->steps == 0)
            return;
        f->steps--;
        if (q == f->path[0] && f->len > 1 && (!f->scan || f->len == f->max))
            ask(f);
        if (is_over(f, &f->holdings.at[i], &over))
            return;
        if (!may_follow(f, &f->holdings.at[i]))
            continue;
        f->path[f->len++] = q;
        extend(f);
        f->len--;
    }
}

static void find_all(struct finder *f)
{
    for (uint32_t i = 0; i < f->requests.len; i++) {
        f->path[0] = i;
        f->len = 1;
        find_back(f);
        if (back_from(f, f->requests.at[i].thing) < f->max)
            extend(f);
    }
}

static void finder_init(struct finder *f)
{
    f->back = mem_zeroed(thing_count(f) + 1, sizeof *f->back);
    f->holders = mem_zeroed(thing_count(f) + 1, sizeof *f->holders);
    f->provider_first = mem_zeroed(f->p->k + 1, sizeof *f->provider_first);
    f->provides = mem_zeroed(f->p->k + 1, sizeof *f->provides);
    f->awaited = mem_zeroed(f->p->k + 1, sizeof *f->awaited);
    collect(f);
    collect_nestings(f);
}

static void finder_done(struct finder *f)
{
    forget_ways(f);
    free(f->back);
    free(f->holders);
    free(f->awaited);
    free(f->provides);
    free(f->provider_first);
    vec_done(&f->joins);
    vec_done(&f->providers);
    vec_done(&f->reached);
    vec_done(&f->ways);
    vec_done(&f->requests);
    vec_done(&f->rows);
    vec_done(&f->held);
    vec_done(&f->holdings);
    vec_done(&f->nestings);
}

static void list(struct predictor *p, predicted_fn found, void *arg)
{
    struct finder f = {.p = p, .found = found, .arg = arg, .steps = UINT64_MAX};
    f.max = p->k < QUERY_MAX ? p->k : QUERY_MAX;
    finder_init(&f);
    find_all(&f);
    finder_done(&f);
}

/* Short cycles first: there the limit on steps is never met. */
static void scan(struct scan *s)
{
    struct finder f = {.p = s->p, .scan = s};
    finder_init(&f);
    for (f.max = 2; f.max <= SCAN_LENGTH_MAX && f.max <= s->p->k; f.max++) {
        f.steps = SCAN_STEPS_MAX;
        find_all(&f);
        s->p->stat.cut_short += f.steps == 0;
    }
    finder_done(&f);
}

const struct pattern pattern_deadlock = {
    .id = PATTERN_DEADLOCK,
    .cost = 64,
    .list = list,
    .scan = scan,
};
