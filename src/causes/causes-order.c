/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-order: of all events that could be next, always the one that came first in the run.
 * What cannot be next: what a wish holds back, a lock that another thread has, the start of a
 * thread that was not created, what was woken before what woke it, and so on. Data does not
 * count: the order goes to a guided run, which finds out. */
#include "causes/gather.h"

#include <string.h>

struct ordering {
    const struct seen_run *r;
    const struct wish *w;
    uint32_t *next;        /* by event: program order */
    uint32_t *head;        /* by thread: its next event, NONE at its end */
    uint32_t *need, *more; /* by event: index of a before + 1; by before: another one */
    uint32_t *rank;        /* by event: how many of its object came before */
    uint32_t *ranks;       /* by object: so many have happened */
    uint32_t *owner, *readers;
    uint32_t *created;       /* by thread: its create event, or NONE */
    uint32_t *exits;         /* by thread: its last event */
    uint32_t *depth;         /* by thread: stretches it is in */
    uint32_t *begins, *ends; /* by event: stretches */
    uint8_t *done;           /* by event */
    uint32_t inside;         /* thread in a stretch, or NONE */
    bool free_for_all;       /* stretches could not be kept any longer */
};

/* Their order on one object stays as it was. */
static bool keeps_order(unsigned kind)
{
    switch (ev_acts_on(kind)) {
    case ON_SEM:
    case ON_BARRIER:
    case ON_ONCE:
    case ON_FUTEX:
    case ON_CHANNEL:
        return kind != EV_REQUEST;
    default:
        return false;
    }
}

static bool lock_is_free(const struct ordering *x, const struct happening *h)
{
    CHECK(h->object < x->r->object_count);
    uint32_t o = h->object;
    if (x->owner[o] != NONE && x->owner[o] != h->thr)
        return false;
    return (h->flags & FLAG(SHARED)) || x->readers[o] == 0;
}

static bool needs_are_done(const struct ordering *x, uint32_t e)
{
    for (uint32_t i = x->need[e]; i; i = x->more[i - 1])
        if (!x->done[x->w->firsts.at[i - 1].from])
            return false;
    return true;
}

static bool can_happen(const struct ordering *x, uint32_t e)
{
    const struct happening *h = &x->r->ev[e];
    if (!needs_are_done(x, e))
        return false;
    if (x->begins[e] && x->inside != NONE && x->inside != h->thr && !x->free_for_all)
        return false;
    if (keeps_order(h->kind))
        return x->ranks[h->object] >= x->rank[e];
    switch (h->kind) {
    case EV_START:
        return x->created[h->thr] == NONE || x->done[x->created[h->thr]];
    case EV_JOIN:
        return h->peer >= x->r->thread_count || x->exits[h->peer] == NONE ||
               x->done[x->exits[h->peer]];
    case EV_ACQUIRE: {
        uint32_t after = x->next[e]; /* of a wait: not before it was woken */
        if (after != NONE && x->r->ev[after].kind == EV_WAIT_LEAVE &&
            x->r->ev[after].ref != NONE && !x->done[x->r->ev[after].ref])
            return false;
        return h->depth > 1 || lock_is_free(x, h);
    }
    default:
        return true;
    }
}

static void happen(struct ordering *x, uint32_t e)
{
    CHECK(e < x->r->ev_count && !x->done[e] && x->head[x->r->ev[e].thr] == e);
    const struct happening *h = &x->r->ev[e];
    x->done[e] = 1;
    x->head[h->thr] = x->next[e];
    if (h->kind == EV_ACQUIRE && h->depth <= 1) {
        if (h->flags & FLAG(SHARED))
            x->readers[h->object]++;
        else
            x->owner[h->object] = h->thr;
    }
    if (h->kind == EV_RELEASE && h->depth == 0) {
        if (x->owner[h->object] == h->thr)
            x->owner[h->object] = NONE;
        else if (x->readers[h->object] > 0)
            x->readers[h->object]--;
    }
    if (keeps_order(h->kind))
        x->ranks[h->object]++;
    x->depth[h->thr] += x->begins[e];
    if (x->begins[e])
        x->inside = h->thr;
    x->depth[h->thr] -= x->ends[e] < x->depth[h->thr] ? x->ends[e] : x->depth[h->thr];
    if (x->inside == h->thr && x->depth[h->thr] == 0)
        x->inside = NONE;
}

static uint32_t choose(const struct ordering *x)
{
    uint32_t best = NONE;
    for (uint32_t t = 0; t < x->r->thread_count; t++)
        if (x->head[t] != NONE && x->head[t] < best && can_happen(x, x->head[t]))
            best = x->head[t];
    return best;
}

static bool wants_are_done(const struct ordering *x)
{
    for (uint32_t i = 0; i < x->w->firsts.len; i++)
        if (!x->done[x->w->firsts.at[i].to])
            return false;
    return true;
}

static int emit(struct ordering *x, event_order *out)
{
    for (;;) {
        uint32_t e = choose(x);
        if (e != NONE) {
            vec_push(out, e);
            happen(x, e);
        } else if (x->inside != NONE && !x->free_for_all) {
            x->free_for_all = true;
        } else {
            return wants_are_done(x) ? 0 : -1;
        }
    }
}

static void link_events(struct ordering *x)
{
    const struct seen_run *r = x->r;
    uint32_t *last = mem_get((r->thread_count + 1) * sizeof *last);
    memset(last, 0xff, (r->thread_count + 1) * sizeof *last);
    for (uint32_t e = 0; e < r->ev_count; e++) {
        const struct happening *h = &r->ev[e];
        CHECK(h->thr < r->thread_count);
        CHECK(!keeps_order(h->kind) || h->object < r->object_count);
        if (last[h->thr] == NONE)
            x->head[h->thr] = e;
        else
            x->next[last[h->thr]] = e;
        last[h->thr] = x->exits[h->thr] = e;
        if (h->kind == EV_CREATE && h->peer < r->thread_count && x->created[h->peer] == NONE)
            x->created[h->peer] = e;
        if (keeps_order(h->kind))
            x->rank[e] = x->ranks[h->object]++;
    }
    memset(x->ranks, 0, (r->object_count + 1) * sizeof *x->ranks);
    free(last);
}

static void cut_threads(struct ordering *x)
{
    for (uint32_t i = 0; i < x->w->cuts.len; i++) {
        CHECK(x->w->cuts.at[i] < x->r->ev_count);
        uint32_t cut = x->w->cuts.at[i], thr = x->r->ev[cut].thr, e = x->head[thr];
        if (e == cut)
            x->head[thr] = NONE;
        for (; e != NONE && e != cut; e = x->next[e])
            if (x->next[e] == cut)
                x->next[e] = NONE;
    }
}

static void enter_wishes(struct ordering *x)
{
    for (uint32_t i = 0; i < x->w->firsts.len; i++) {
        uint32_t to = x->w->firsts.at[i].to;
        CHECK(to < x->r->ev_count && x->w->firsts.at[i].from < x->r->ev_count);
        x->more[i] = x->need[to];
        x->need[to] = i + 1;
    }
    for (uint32_t i = 0; i < x->w->stretches.len; i++) {
        const struct stretch *s = &x->w->stretches.at[i];
        CHECK(s->first <= s->last && x->r->ev[s->first].thr == x->r->ev[s->last].thr);
        x->begins[s->first]++;
        x->ends[s->last]++;
    }
}

static uint32_t *words(struct arena *mem, uint32_t count, int byte)
{
    uint32_t *at = ARENA_NEW(mem, uint32_t, count + 1);
    memset(at, byte, (count + 1) * sizeof *at);
    return at;
}

int order_make(event_order *out, const struct seen_run *r, const struct wish *w)
{
    AUTO(arena) struct arena mem = {0};
    uint32_t n = r->ev_count, t = r->thread_count, o = r->object_count;
    struct ordering x = {.r = r, .w = w, .inside = NONE};
    x.next = words(&mem, n, 0xff);
    x.need = words(&mem, n, 0);
    x.more = words(&mem, w->firsts.len, 0);
    x.rank = words(&mem, n, 0);
    x.ranks = words(&mem, o, 0);
    x.owner = words(&mem, o, 0xff);
    x.readers = words(&mem, o, 0);
    x.head = words(&mem, t, 0xff);
    x.created = words(&mem, t, 0xff);
    x.exits = words(&mem, t, 0xff);
    x.depth = words(&mem, t, 0);
    x.begins = words(&mem, n, 0);
    x.ends = words(&mem, n, 0);
    x.done = arena_get(&mem, n + 1);
    link_events(&x);
    cut_threads(&x);
    enter_wishes(&x);
    return emit(&x, out);
}
