/* SPDX-License-Identifier: Apache-2.0
 *
 * after-free: one walk with a note for every heap block that has been freed. A block that takes
 * the place of another has a number of its own: what is done to recycled memory is no fault. */
#include "finding/after-free.h"

#include <signal.h>

struct block {
    uint64_t freed; /* number of the event, or NO_EVENT */
};

/* What a thread did last. */
struct last {
    uint64_t number;
    uint32_t site;
    bool is_branch; /* it was about to use an address, or to decide */
};

struct search {
    struct space *space;
    VEC(struct block) blocks; /* by object */
    VEC(struct last) lasts;   /* by thread */
};

static struct block *block_of(struct search *s, uint64_t addr)
{
    obj_id id = space_find(s->space, addr);
    if (id == NONE || space_object(s->space, id)->class != WORD_VALUE(CLASS, HEAP))
        return NULL;
    while (s->blocks.len <= id)
        vec_push(&s->blocks, (struct block){NO_EVENT});
    return &s->blocks.at[id];
}

/* What changed memory unseen may have been the allocator itself. What is done with a sync
 * object is done to its memory. */
static bool is_access(const struct ev *e)
{
    enum acts_on on = ev_acts_on(e->kind);
    return (on == ON_MEMORY && e->kind != EV_EXTERNAL_WRITE) ||
           (on >= ON_SYNC && on != ON_CHANNEL);
}

/* Is it one that comes too late? */
static bool meet(struct search *s, const struct ev *e, uint64_t number, struct freed_use *out)
{
    bool frees = e->kind == EV_FREE;
    struct block *b = frees || is_access(e) ? block_of(s, e->addr) : NULL;
    if (!b)
        return false;
    if (b->freed != NO_EVENT) {
        *out = (struct freed_use){b->freed, number, e->site, frees};
        return true;
    }
    if (frees)
        b->freed = number;
    return false;
}

static struct last *last_of(struct search *s, uint32_t thr)
{
    while (s->lasts.len <= thr)
        vec_push(&s->lasts, (struct last){NO_EVENT, 0, false});
    return &s->lasts.at[thr];
}

/* Memory that was given back to the system is used once, and no event tells of that. */
static bool meet_fault(struct search *s, const struct ev *e, struct freed_use *out)
{
    const struct last *last = last_of(s, e->thr);
    bool is_fault = e->kind == EV_END_SIGNAL && (e->number == SIGSEGV || e->number == SIGBUS);
    struct block *b = is_fault && last->is_branch ? block_of(s, e->addr) : NULL;
    if (!b || b->freed == NO_EVENT)
        return false;
    *out = (struct freed_use){b->freed, last->number, last->site, false};
    return true;
}

int freed_find(struct trace *t, enum freed_what what, struct freed_use *out, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct search s = {.space = space_new()};
    struct freed_use use;
    struct ev e;
    int item, found = 0;
    cursor_init(c, t);
    while (!found && (item = trace_next(c, &e, err)) > ITEM_END) {
        space_feed(s.space, c, item, &e);
        if (item != ITEM_EVENT)
            continue;
        bool is_met = meet(&s, &e, c->number - 1, &use) || meet_fault(&s, &e, &use);
        *last_of(&s, e.thr) = (struct last){c->number - 1, e.site, e.kind == EV_BRANCH};
        if (!is_met)
            continue;
        found = what == FREED_ANY || use.is_free == (what == FREED_TWICE);
    }
    if (found)
        *out = use;
    else if (item < 0)
        found = -1;
    free(c);
    vec_done(&s.blocks);
    vec_done(&s.lasts);
    space_free(s.space);
    return found;
}
