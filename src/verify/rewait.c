/* SPDX-License-Identifier: Apache-2.0
 *
 * rewait: a wait that is tried once instead of until its condition holds. In a failing run:
 * what the thread had read before it waited was changed by somebody else after the signal, or
 * there was no signal, and the thread went on without reading it again at the same place. */
#include "verify/judge.h"

#include <stdlib.h>

struct look {
    uint32_t site;
    uint64_t addr;
};

enum phase { PHASE_BEFORE, PHASE_WAITS, PHASE_BACK };

struct waiter {
    enum phase phase;
    VEC(struct look) looks; /* since it took the lock: what the condition is about */
    uint32_t site;          /* of the wait */
    uint32_t waker;         /* thread that signalled, or NONE */
    uint32_t thief, where;  /* thread that changed the condition since, and site; or NONE */
    bool is_unasked, has_looked;
};

struct rewait {
    struct trace *t;
    VEC(struct waiter) threads;
    struct str *out;
};

static struct waiter *waiter_of(struct rewait *r, uint32_t thr)
{
    while (r->threads.len <= thr)
        vec_push(&r->threads, (struct waiter){0});
    return &r->threads.at[thr];
}

static void add_place(struct rewait *r, uint32_t site)
{
    const struct def_site *s = &r->t->sites.at[site];
    struct text file = text_base_name((struct text){s->file.at, s->file.len});
    str_add(r->out, "%.*s:%u", TEXT_ARG(file), s->line);
}

static void read_there(struct waiter *w, const struct ev *e)
{
    if (w->phase == PHASE_BEFORE)
        vec_push(&w->looks, (struct look){e->site, e->addr});
    for (uint32_t i = 0; w->phase == PHASE_BACK && i < w->looks.len; i++)
        w->has_looked |= w->looks.at[i].site == e->site;
}

/* For those that wait, and were woken by somebody else. */
static void write_there(struct rewait *r, const struct ev *e)
{
    for (uint32_t t = 0; t < r->threads.len; t++) {
        struct waiter *w = &r->threads.at[t];
        if (w->phase != PHASE_WAITS || w->waker == NONE || w->waker == e->thr || t == e->thr)
            continue;
        for (uint32_t i = 0; i < w->looks.len; i++)
            if (w->looks.at[i].addr == e->addr) {
                w->thief = e->thr;
                w->where = e->site;
            }
    }
}

static void wake(struct rewait *r, const struct ev *e)
{
    for (uint32_t t = 0; t < r->threads.len; t++)
        if (r->threads.at[t].phase == PHASE_WAITS && r->threads.at[t].waker == NONE)
            r->threads.at[t].waker = e->thr;
}

/* The section in which it waited ends: did it look again? */
static void leave(struct rewait *r, uint32_t thr, struct waiter *w)
{
    bool is_once = w->phase == PHASE_BACK && !w->has_looked && w->looks.len > 0 &&
                   (w->is_unasked || w->thief != NONE);
    if (w->phase == PHASE_WAITS)
        return; /* the wait itself gives the lock back */
    w->phase = PHASE_BEFORE;
    w->looks.len = 0;
    if (!is_once || r->out->len > 0)
        return;
    str_add(r->out, "the condition of the wait at ");
    add_place(r, w->site);
    str_add(r->out, " must be looked at again when it returns (`while`, not `if`): ");
    if (w->is_unasked) {
        str_add(r->out, "nobody had signalled");
        return;
    }
    str_add(r->out, "T%u had changed it at ", w->thief);
    add_place(r, w->where);
    str_add(r->out, " before T%u came back", thr);
}

static void meet(struct rewait *r, const struct ev *e)
{
    struct waiter *w = waiter_of(r, e->thr);
    switch (e->kind) {
    case EV_READ:
    case EV_ATOMIC_LOAD:
        read_there(w, e);
        break;
    case EV_WRITE:
    case EV_ATOMIC_STORE:
    case EV_RMW:
        write_there(r, e);
        break;
    case EV_ACQUIRE:
        if (w->phase == PHASE_BEFORE)
            w->looks.len = 0;
        break;
    case EV_WAIT_ENTER:
        w->phase = PHASE_WAITS;
        w->site = e->site;
        w->waker = w->thief = NONE;
        w->is_unasked = w->has_looked = false;
        break;
    case EV_WAIT_LEAVE:
        w->phase = PHASE_BACK;
        w->is_unasked = e->ref == NO_EVENT;
        break;
    case EV_SIGNAL:
    case EV_BROADCAST:
        wake(r, e);
        break;
    case EV_RELEASE:
        leave(r, e->thr, w);
        break;
    default:
        break;
    }
}

void rewait_tell(struct str *out, const char *directory)
{
    AUTO(trace) struct trace t = {0};
    struct rewait r = {.t = &t, .out = out};
    struct ev e;
    struct err ignored;
    if (trace_open_in(&t, directory, &ignored) < 0)
        return;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    for (int item; (item = trace_next(c, &e, &ignored)) > ITEM_END;)
        if (item == ITEM_EVENT)
            meet(&r, &e);
    free(c);
    for (uint32_t i = 0; i < r.threads.len; i++)
        vec_done(&r.threads.at[i].looks);
    vec_done(&r.threads);
}
