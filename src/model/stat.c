/* SPDX-License-Identifier: Apache-2.0
 *
 * stat: figures a person wants to see. What happened is counted in the trace, what is shared
 * and taken in the model; both are only walked, nothing is kept but the counts. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is shared --------------------------------------------------------------------- */

/* Both parts of a cell's accesses are in order of threads: the ends tell. */
static bool is_shared(const struct model *m, cell_id c)
{
    uint32_t first = m->cell_first[c], middle = m->cell_reads[c], end = m->cell_first[c + 1];
    if (first == end)
        return false;
    uint16_t thr = m->ev[m->accesses[first]].thr;
    if (middle > first && m->ev[m->accesses[middle - 1]].thr != thr)
        return true;
    return m->ev[m->accesses[end - 1]].thr != thr ||
           (middle < end && m->ev[m->accesses[middle]].thr != thr);
}

static void count_locations(struct model_stat *s, const struct model *m)
{
    for (cell_id c = 0; c < m->cell_count; c++)
        s->locations += is_shared(m, c);
}

/* ---- locks ------------------------------------------------------------------------------ */

enum { HELD_EXCLUSIVE = 1, HELD_SHARED };

struct lock_state {
    uint32_t holders[HELD_SHARED + 1]; /* threads, by how they hold it */
};

/* What a thread has asked for and not yet got. */
struct request {
    uint64_t addr;
    bool pending;
};

/* The model folds and completes lock events, but has no requests: those are found in the
 * trace, which is walked at the same pace. */
struct lock_walk {
    const struct model *m;   /* borrowed */
    ev_id at;                /* next event of the model */
    struct sync_stat *stats; /* by sync_id, as the locks */
    struct lock_state *locks;
    struct request *requests; /* by thread */
    struct map held;          /* thread and sync -> HELD_... */
    struct map sync_at;       /* address -> the lock that was last taken there */
};

static uint64_t held_key(uint32_t thr, sync_id s)
{
    return (uint64_t)thr << 32 | s;
}

/* Does another thread hold the lock so that this one has to wait? */
static bool is_contended(const struct lock_walk *w, uint32_t thr, sync_id s, unsigned flags)
{
    const struct lock_state *lock = &w->locks[s];
    uint32_t own = map_find(&w->held, held_key(thr, s));
    uint32_t conflicting = lock->holders[HELD_EXCLUSIVE] - (own == HELD_EXCLUSIVE);
    if (!(flags & FLAG(SHARED)))
        conflicting += lock->holders[HELD_SHARED] - (own == HELD_SHARED);
    return conflicting > 0;
}

/* Whether it is going to get the lock does not matter: it may deadlock, or only have tried. */
static void walk_request(struct lock_walk *w, const struct ev *e)
{
    sync_id s = map_find(&w->sync_at, e->addr);
    if (s != NONE)
        w->stats[s].contended += is_contended(w, e->thr, s, e->flags);
    w->requests[e->thr] = (struct request){e->addr, true};
}

/* The end of a request; there may have been none in the trace. */
static void walk_refusal(struct lock_walk *w, const struct ev *e)
{
    struct request *r = &w->requests[e->thr];
    if (!r->pending || r->addr != e->addr)
        walk_request(w, e);
    r->pending = false;
}

static void walk_acquire(struct lock_walk *w, uint32_t thr, sync_id s, unsigned flags)
{
    struct request *r = &w->requests[thr];
    bool asked = r->pending && r->addr == w->m->syncs[s].addr;
    w->stats[s].acquires++;
    w->stats[s].contended += !asked && is_contended(w, thr, s, flags);
    r->pending = false;
    *map_at(&w->sync_at, w->m->syncs[s].addr) = s;
    uint32_t *own = map_at(&w->held, held_key(thr, s));
    if (*own != NONE)
        return;
    *own = flags & FLAG(SHARED) ? HELD_SHARED : HELD_EXCLUSIVE;
    w->locks[s].holders[*own]++;
}

static void walk_release(struct lock_walk *w, uint32_t thr, sync_id s)
{
    uint32_t own = map_find(&w->held, held_key(thr, s));
    if (own == NONE)
        return;
    w->locks[s].holders[own]--;
    map_remove(&w->held, held_key(thr, s));
}

/* Event e of the trace, and what the model made of it. */
static void walk_event(struct lock_walk *w, const struct ev *e, uint64_t number)
{
    const struct model *m = w->m;
    if (e->kind == EV_REQUEST)
        walk_request(w, e);
    if (e->kind == EV_REFUSED || e->kind == EV_TIMEOUT)
        walk_refusal(w, e);
    for (; w->at < m->ev_count && model_number(m, w->at) <= number; w->at++) {
        const struct row *row = &m->ev[w->at];
        if (row->kind == EV_ACQUIRE)
            walk_acquire(w, row->thr, m->obj[w->at], row->detail);
        if (row->kind == EV_RELEASE)
            walk_release(w, row->thr, m->obj[w->at]);
    }
}

/* A lock's events are in order of threads. */
static uint32_t count_owners(const struct model *m, sync_id s)
{
    uint32_t count = 0, last = NONE;
    for (uint32_t i = m->sync_first[s]; i < m->sync_first[s + 1]; i++) {
        ev_id e = m->sync_events[i];
        if (m->ev[e].kind != EV_ACQUIRE || m->ev[e].thr == last)
            continue;
        last = m->ev[e].thr;
        count++;
    }
    return count;
}

static int compare_locks(const void *a, const void *b)
{
    const struct sync_stat *x = a, *y = b;
    if (x->contended != y->contended)
        return x->contended > y->contended ? -1 : 1;
    if (x->acquires != y->acquires)
        return x->acquires > y->acquires ? -1 : 1;
    return x->sync < y->sync ? -1 : x->sync > y->sync;
}

static void list_locks(struct model_stat *out, const struct lock_walk *w)
{
    for (sync_id s = 0; s < w->m->sync_count; s++) {
        struct sync_stat stat = w->stats[s];
        if (stat.acquires == 0)
            continue;
        stat.sync = s;
        stat.threads = count_owners(w->m, s);
        vec_push(&out->syncs, stat);
    }
    if (out->syncs.len > 0)
        qsort(out->syncs.at, out->syncs.len, sizeof *out->syncs.at, compare_locks);
}

/* ---- what happened ---------------------------------------------------------------------- */

static int count_events(struct model_stat *s, struct lock_walk *w, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e = {0};
    uint32_t running = NONE;
    int item;
    cursor_init(c, w->m->trace);
    c->values = false;
    while ((item = trace_next_bare(c, &e, err)) > ITEM_END) {
        if (item == ITEM_THREAD)
            vec_push(&s->by_thread, 0);
        if (item != ITEM_EVENT)
            continue;
        s->by_kind[e.kind]++;
        s->by_thread.at[e.thr]++;
        s->switches += running != e.thr && running != NONE;
        running = e.thr;
        walk_event(w, &e, c->number - 1);
    }
    s->cut = c->cut;
    free(c);
    return item < 0 ? -1 : 0;
}

int model_stat(struct model_stat *out, const struct model *m, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    struct model_stat s = {0};
    struct lock_walk w = {.m = m,
                          .stats = ARENA_NEW(&mem, struct sync_stat, m->sync_count + 1),
                          .locks = ARENA_NEW(&mem, struct lock_state, m->sync_count + 1),
                          .requests = ARENA_NEW(&mem, struct request, m->thread_count + 1)};
    int counted = count_events(&s, &w, err);
    if (counted == 0) {
        count_locations(&s, m);
        list_locks(&s, &w);
        *out = s;
    } else {
        model_stat_done(&s);
    }
    map_done(&w.held);
    map_done(&w.sync_at);
    return counted;
}

void model_stat_done(struct model_stat *s)
{
    vec_done(&s->by_thread);
    vec_done(&s->syncs);
}
