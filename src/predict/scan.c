/* SPDX-License-Identifier: Apache-2.0
 *
 * scan: the everyday search asks about the same places in the source again and again. Once
 * they are confirmed, or have failed a few times, they are left alone. */
#include "predict/engine.h"

#include "base/jobs.h"

#include <stdatomic.h>
#include <string.h>

const struct pattern *const patterns[] = {
#define SEARCHED(name, tell, explain, where) &pattern_##name,
#include "predict/searched.def"
#undef SEARCHED
    NULL,
};

struct answered {
    struct predicted x;
    enum answer answer;
};

/* What one pattern's search has found: answers that are settled, then the worker's claims. */
struct search_of {
    const struct pattern *pattern;
    uint32_t search; /* from 0 */
    uint64_t shares; /* of the cells */
    struct predictor *worker;
    VEC(struct answered) settled;
    uint64_t skipped;
    struct refuted by;
};

bool tries_left(const struct tries *t, uint64_t key)
{
    uint32_t tried = map_find(&t->by_key, key);
    return tried == NONE || tried < TRIES_MAX;
}

static bool is_worn_out(const struct tries *t, uint64_t key)
{
    uint32_t all = map_find(&t->by_key, key);
    return all != NONE && all >= TRIES_ALL_MAX;
}

bool tries_left_of_way(const struct tries *t, uint64_t key, uint64_t way)
{
    return !is_worn_out(t, key) && tries_left(t, way);
}

bool tries_gave_up(const struct tries *t, uint64_t key)
{
    uint32_t tried = map_find(&t->by_key, key);
    return tried != NONE && tried != TRIES_FOUND && tried >= TRIES_MAX;
}

void tries_note(struct tries *t, uint64_t key, enum answer answer)
{
    uint32_t *slot = map_at(&t->by_key, key);
    uint32_t before = *slot == NONE ? 0 : *slot;
    *slot = answer == ANSWER_YES ? TRIES_FOUND : before >= TRIES_ALL_MAX ? before : before + 1;
}

static void name_events(const struct scan *s, struct predicted *x, const ev_id *e)
{
    if (!x->pattern)
        x->pattern = s->pattern;
    x->at.search = s->at.search;
    for (uint32_t i = 0; i < x->query.count; i++)
        x->query.number[i] = model_number(s->p->m, e[i]);
}

/* Who wrote in an external write is not known: nothing can be said of its thread. */
static bool is_anybodys(const struct scan *s, const struct predicted *x, const ev_id *e)
{
    for (uint32_t i = 0; i < x->query.count; i++)
        if (s->p->m->ev[e[i]].kind == EV_EXTERNAL_WRITE)
            return true;
    return false;
}

/* What said no: the last of the filters that the query came to. */
static enum refuter refuter_of(const struct predict_stat *before,
                               const struct predict_stat *now)
{
    if (now->closure_no > before->closure_no || now->not_found > before->not_found)
        return REFUTER_CLOSURE;
    return now->sync_no > before->sync_no ? REFUTER_SYNC : REFUTER_ORDER;
}

void count_refuter(struct refuted *by, enum refuter refuter, int64_t times)
{
    uint64_t *const counts[] = {NULL, &by->order, &by->sync, &by->closure};
    if (refuter != REFUTER_NONE)
        *counts[refuter] += (uint64_t)times;
}

static void note_refuter(struct scan *s, const struct predict_stat *before, enum answer answer)
{
    if (answer == ANSWER_NO)
        count_refuter(&s->by, refuter_of(before, &s->p->stat), 1);
}

static enum answer ask(struct scan *s, struct predicted *x, const ev_id *e)
{
    name_events(s, x, e);
    struct predict_stat before = s->p->stat;
    enum answer answer = ask_later(s->p, x, s->found, s->arg);
    note_refuter(s, &before, answer);
    return answer;
}

enum answer scan_ask(struct scan *s, struct predicted *x, const ev_id *e, uint64_t key)
{
    s->skipped += tries_gave_up(&s->tries, key);
    if (!tries_left(&s->tries, key) || is_anybodys(s, x, e))
        return ANSWER_UNKNOWN;
    enum answer answer = ask(s, x, e);
    tries_note(&s->tries, key, answer);
    return answer;
}

bool scan_asks(const struct scan *s, uint64_t key)
{
    return !is_worn_out(&s->tries, key);
}

/* What said no to the question that was answered last. */
static void name_refuter(struct scan *s, const struct predict_stat *before)
{
    struct search_of *to = s->arg;
    CHECK(to->settled.len > 0);
    to->settled.at[to->settled.len - 1].x.at.refuter = refuter_of(before, &s->p->stat);
}

enum answer scan_ask_way(struct scan *s, struct predicted *x, const ev_id *e, uint64_t key,
                         uint64_t way)
{
    bool is_found = map_find(&s->tries.by_key, key) == TRIES_FOUND;
    bool asks = tries_left_of_way(&s->tries, key, way);
    s->skipped += !asks && !is_found;
    if (!asks || is_anybodys(s, x, e))
        return ANSWER_UNKNOWN;
    x->at = s->at;
    x->at.key = key;
    x->at.way = way;
    struct predict_stat before = s->p->stat;
    enum answer answer = ask(s, x, e);
    if (answer == ANSWER_NO)
        name_refuter(s, &before);
    tries_note(&s->tries, key, answer);
    tries_note(&s->tries, way, answer);
    return answer;
}

/* Where a thread stands that is about to do e, or to take the first of the locks for it, if it
 * takes them after its event `after`. */
static ev_id stand_before(const struct model *m, ev_id after, ev_id e)
{
    ev_id stand = e;
    uint32_t n = m->idx[e];
    bool same = m->ev[after].thr == m->ev[e].thr;
    for (uint32_t i = model_held(m, m->ev[e].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (!same || m->idx[m->acquires[i]] > m->idx[after])
            stand = m->acquires[i];
    return stand;
}

/* What is asked instead of x. */
static struct predicted up_to(const struct scan *s, const struct predicted *x, const ev_id *e,
                              uint32_t ordered, ev_id next)
{
    struct predicted y = *x;
    ev_id f[ABOUT_MAX + 1];
    y.about_count = x->query.count;
    memcpy(y.about, x->query.number, y.about_count * sizeof *y.about);
    memcpy(f, e, ordered * sizeof *f);
    f[ordered] = next;
    f[ordered + 1] = stand_before(s->p->m, e[0], e[x->query.count - 1]);
    y.query = (struct query){.kind = QUERY_NEXT, .count = ordered + 2, .ordered = ordered};
    name_events(s, &y, f);
    return y;
}

enum answer scan_ask_up_to(struct scan *s, struct predicted *x, const ev_id *e,
                           uint32_t ordered, ev_id next, uint64_t key)
{
    s->skipped += tries_gave_up(&s->tries, key);
    if (!tries_left(&s->tries, key) || is_anybodys(s, x, e))
        return ANSWER_UNKNOWN;
    name_events(s, x, e);
    struct predicted y = up_to(s, x, e, ordered, next);
    struct predict_stat before = s->p->stat;
    enum answer answer = predict_unchecked(s->p, &x->query);
    if (answer == ANSWER_YES)
        answer = ask_later(s->p, x, s->found, s->arg);
    else if (predict_unchecked(s->p, &y.query) == ANSWER_YES)
        answer = ask_later(s->p, &y, s->found, s->arg);
    else
        s->found(s->arg, x, answer);
    note_refuter(s, &before, answer);
    tries_note(&s->tries, key, answer);
    return answer;
}

uint64_t sites_key(const struct predictor *p, const ev_id *e, uint32_t count)
{
    uint32_t sites[QUERY_MAX];
    for (uint32_t i = 0; i < count; i++)
        sites[i] = model_site(p->m, e[i]);
    return hash_bytes(sites, count * sizeof *sites);
}

/* Does the thread of e hold, where it is about to do e, the lock of this section in a way that
 * excludes the section? */
static bool holds(const struct model *m, ev_id e, ev_id section)
{
    uint32_t n = m->idx[e];
    for (uint32_t i = model_held(m, m->ev[e].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (m->obj[m->acquires[i]] == m->obj[section] &&
            !(m->ev[m->acquires[i]].detail & m->ev[section].detail & FLAG(SHARED)))
            return true;
    return false;
}

/* Is there a lock that both threads hold where they are about to do these events, and that
 * they cannot hold at once? */
bool share_a_lock(const struct model *m, ev_id a, ev_id b)
{
    uint32_t n = m->idx[a];
    for (uint32_t i = model_held(m, m->ev[a].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (holds(m, b, m->acquires[i]))
            return true;
    return false;
}

bool is_kept_out(const struct model *m, ev_id a, ev_id b, ev_id r)
{
    uint32_t n = m->idx[b];
    for (uint32_t i = model_held(m, m->ev[b].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (m->idx[m->acquires[i]] < m->idx[a] && holds(m, r, m->acquires[i]))
            return true;
    return false;
}

bool must_precede(const struct predictor *p, ev_id a, ev_id e)
{
    uint32_t needed =
        prefix_must(&p->prefix, thread_of(p, e), p->m->idx[e] + 1, thread_of(p, a));
    return needed > p->m->idx[a];
}

void predict_list(struct predictor *p, enum pattern_id only, predicted_fn found, void *arg)
{
    check_trace(p);
    p->gathers = p->jobs > 1;
    for (const struct pattern *const *x = patterns; *x; x++)
        if ((*x)->list && (only == PATTERN_COUNT || only == (*x)->id))
            (*x)->list(p, found, arg);
    p->gathers = false;
    workers_answer_rest(p);
    ask_end(p);
}

/* ---- all patterns, each by a worker of its own ------------------------------------------- */

struct search {
    const struct predictor *p;
    atomic_uint *done; /* parts */
    const struct intent *intent;
    VEC(struct search_of) parts;
};

static void note_answer(void *arg, const struct predicted *x, enum answer answer)
{
    struct search_of *part = arg;
    vec_push(&part->settled, (struct answered){*x, answer});
}

static void tell_done(const struct search *h)
{
    uint32_t done = atomic_fetch_add(h->done, 1) + 1;
    if (h->p->watch)
        h->p->watch(done, h->parts.len);
}

static void search_part(void *arg, uint32_t worker, uint32_t piece)
{
    const struct search *h = arg;
    struct search_of *part = &h->parts.at[piece];
    struct scan s = {.p = part->worker,
                     .pattern = part->pattern,
                     .shares = part->shares,
                     .at = {.search = part->search},
                     .intent = h->intent,
                     .locksets = locksets_new(h->p->m),
                     .found = note_answer,
                     .arg = part};
    (void)worker;
    part->pattern->scan(&s);
    part->skipped = s.skipped;
    part->by = s.by;
    locksets_free(s.locksets);
    map_done(&s.tries.by_key);
    tell_done(h);
}

/* All witnesses are checked in one walk along the trace. */
static bool *check_parts(struct predictor *p, const struct search *h)
{
    for (uint32_t i = 0; i < h->parts.len; i++) {
        struct predictor *w = h->parts.at[i].worker;
        for (uint32_t k = 0; k < w->claims.len; k++)
            vec_push(&p->claims, w->claims.at[k]);
    }
    bool *good = mem_get(p->claims.len + 1);
    check_claims(p, good);
    for (uint32_t i = 0; i < p->claims.len; i++)
        witness_done(&p->claims.at[i]);
    p->claims.len = 0;
    return good;
}

static void tell_part(struct predictor *p, const struct search_of *part, const bool *good,
                      predicted_fn found, void *arg)
{
    uint32_t refused = 0;
    for (uint32_t i = 0; i < part->settled.len; i++)
        found(arg, &part->settled.at[i].x, part->settled.at[i].answer);
    for (uint32_t i = 0; i < part->worker->claims.len; i++) {
        struct predicted *x = &part->worker->asked.at[i].x;
        x->at.is_refused = !good[i];
        refused += !good[i] && x->query.kind != QUERY_UNORDERED;
        found(arg, x, good[i] ? ANSWER_YES : ANSWER_UNKNOWN);
    }
    claims_refused(p, refused);
}

static void search_all(struct search *h)
{
    const struct predictor *p = h->p;
    uint32_t search = 0;
    for (const struct pattern *const *x = patterns; *x; x++) {
        if (!(*x)->scan)
            continue;
        uint64_t shares = part_shares(&p->part, search);
        if (shares)
            vec_push(&h->parts, (struct search_of){.pattern = *x,
                                                   .search = search,
                                                   .shares = shares,
                                                   .worker = worker_new(p)});
        search++;
    }
    jobs_run(p->jobs, h->parts.len, search_part, h);
}

static void parts_done(struct search *h, struct predictor *p)
{
    for (uint32_t i = 0; i < h->parts.len; i++) {
        vec_done(&h->parts.at[i].settled);
        worker_free(h->parts.at[i].worker, p);
    }
    h->parts.len = 0;
}

/* Whether the trace is an execution is known when its witnesses have been executed along it.
 * Only if it is none, which is rare, was the search wrong to rely on that. */
static bool *search_and_check(struct predictor *p, struct search *h)
{
    struct predict_stat before = p->stat;
    bool was_checked = p->is_checked;
    search_all(h);
    bool *good = check_parts(p, h);
    check_trace(p);
    if (was_checked || p->broken.len == 0)
        return good;
    free(good);
    parts_done(h, p);
    p->stat = before;
    atomic_store(h->done, 0);
    search_all(h);
    return check_parts(p, h);
}

void predict_scan(struct predictor *p, predicted_fn found, void *arg)
{
    struct intent *intent = intent_new(p->m);
    atomic_uint done = 0;
    struct search h = {.p = p, .done = &done, .intent = intent};
    bool *good = search_and_check(p, &h);
    p->skipped.len = p->refuted.len = 0;
    for (uint32_t i = 0, first = 0; i < h.parts.len; i++) {
        struct search_of *part = &h.parts.at[i];
        tell_part(p, part, good + first, found, arg);
        first += part->worker->claims.len;
        while (p->skipped.len < part->search) { /* another part's */
            vec_push(&p->skipped, 0);
            vec_push(&p->refuted, (struct refuted){0});
        }
        vec_push(&p->skipped, part->skipped);
        vec_push(&p->refuted, part->by);
    }
    free(good);
    parts_done(&h, p);
    vec_done(&h.parts);
    intent_free(intent);
}
