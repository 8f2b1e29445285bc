/* SPDX-License-Identifier: Apache-2.0
 *
 * met-pairs: see met-pairs.h. Accesses are told apart by where they begin; a place is the
 * site's position in its unit, which is the same in every run of a program. */
#include "check/met-pairs.h"

#include "base/arena.h"

#include <stdlib.h>

struct last {
    uint64_t place;
    uint32_t thr;
    bool changes;
};

struct walk {
    struct met_pairs *pairs;
    struct map at; /* address -> lasts */
    VEC(struct last) lasts;
    uint32_t added;
};

static bool changes(unsigned kind)
{
    return kind != EV_READ && kind != EV_READ_RANGE && kind != EV_ATOMIC_LOAD;
}

static void meet(struct walk *w, uint64_t address, struct last now)
{
    uint32_t *slot = map_at(&w->at, address);
    if (*slot == NONE) {
        *slot = w->lasts.len;
        vec_push(&w->lasts, now);
        return;
    }
    struct last *last = &w->lasts.at[*slot];
    if (last->thr != now.thr && (last->changes || now.changes)) {
        uint32_t *pair = map_at(&w->pairs->seen, hash_u64(last->place) * 31 + now.place);
        w->added += *pair == NONE;
        *pair = 1;
    }
    *last = now;
}

static void walk(struct walk *w, struct trace *t)
{
    struct ev e;
    struct err ignored;
    int item;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, t);
    while ((item = trace_next(c, &e, &ignored)) > ITEM_END) {
        if (item != ITEM_EVENT || (!ev_is_access(e.kind) && e.kind != EV_ACQUIRE))
            continue;
        const struct def_site *s = &t->sites.at[e.site];
        meet(w, e.addr,
             (struct last){(uint64_t)s->unit << 32 | s->ordinal, e.thr, changes(e.kind)});
    }
    free(c);
}

uint32_t met_pairs_add(struct met_pairs *p, const char *run)
{
    AUTO(trace) struct trace t = {0};
    struct walk w = {.pairs = p};
    struct err ignored;
    if (trace_open_in(&t, run, &ignored) == 0)
        walk(&w, &t);
    map_done(&w.at);
    vec_done(&w.lasts);
    return w.added;
}

void met_pairs_done(struct met_pairs *p)
{
    map_done(&p->seen);
}
