/* SPDX-License-Identifier: Apache-2.0
 *
 * needs: step 5 of building a model. What must have happened before an event by the rules of
 * the primitive it belongs to (docs/predict.md, "Primitives"): pairs that run forwards in the
 * trace. Beside that, what semaphores held at the start, and which refusals and time-outs say
 * that something was taken. Traces without such events are left alone. */
#include "model/making.h"

#include "base/search.h"

#include <errno.h>
#include <string.h>

/* How one thread changed one thing. */
struct changer {
    thr_id thr;
    ev_id last;
    uint32_t seen; /* so many looks came before that */
};

struct written {
    uint32_t end; /* position behind the bytes */
    ev_id by;
};

/* What is known about one object at this place of the trace. */
struct object_state {
    uint32_t round;             /* barrier: the one under way */
    VEC(ev_id) arrives;         /* barrier: of that round */
    VEC(ev_id) opened;          /* barrier: by round: the arrive that completed it, or NONE */
    ev_id before;               /* once, robust lock: what ended the last attempt or section */
    ev_id done;                 /* once: the successful leave */
    ev_id read;                 /* channel: the last one */
    VEC(struct written) writes; /* channel */
    VEC(struct changer) changers; /* channel: by whom it is changed */
    VEC(ev_id) looks;             /* channel: by whom its state was looked at */
    uint32_t level;               /* semaphore */
    bool is_known;                /* semaphore: an event told its level */
    bool is_abandoned;            /* lock: an owner died at some time */
    uint32_t owners, readers;     /* lock */
    ev_id favour;                 /* lock: last refused in favour of a writer that waits */
};

struct pass {
    struct model *m;
    const struct map *said;
    struct object_state *objects; /* by sync */
    ev_id *last;                  /* by thread: its last event */
    ev_id *cancel;                /* by thread: asked for since that one, or NONE */
    ev_id input;                  /* the last one */
    ev_id unseen;                 /* the last event, while accesses are not recorded */
    ev_id *resumed;               /* by thread: its next event comes after this one */
    uint32_t *since;              /* by thread: the cause of its next event came after the event
                                   * of this number; NONE: nothing was said */
    VEC(struct need) needs, bars;
};

static void need(struct pass *s, ev_id from, ev_id to)
{
    if (from != NONE && s->m->ev[from].thr != s->m->ev[to].thr)
        vec_push(&s->needs, (struct need){from, to});
}

/* Its cause is not in the trace: it comes after everything that came before it. */
static void pin(struct pass *s, ev_id e)
{
    for (thr_id t = 0; t < s->m->thread_count; t++)
        need(s, s->last[t], e);
}

/* Its cause came after an event of the trace: whoever has done nothing since is not it. If none
 * is named, other processes may be. */
static void pin_since(struct pass *s, ev_id e, uint32_t since)
{
    if (since == NONE && s->m->trace->forgets)
        return;
    for (thr_id t = 0; t < s->m->thread_count; t++)
        if (since == NONE || (s->last[t] != NONE && model_number(s->m, s->last[t]) > since))
            need(s, s->last[t], e);
}

/* ---- barriers, once, channels ------------------------------------------------------------ */

/* The last to arrive is told so: it stays the last. */
static void round_complete(struct pass *s, struct object_state *o)
{
    if (o->arrives.len == 0)
        return;
    ev_id last = o->arrives.at[o->arrives.len - 1];
    for (uint32_t i = 0; i + 1 < o->arrives.len; i++)
        need(s, o->arrives.at[i], last);
    while (o->opened.len <= o->round)
        vec_push(&o->opened, NONE);
    o->opened.at[o->round] = last;
    o->arrives.len = 0;
}

static void barrier(struct pass *s, struct object_state *o, ev_id e, uint32_t round)
{
    bool arrives = s->m->ev[e].kind == EV_ARRIVE;
    if (round >= s->m->ev_count) /* no barrier that we know */
        return;
    if (arrives != (round == o->round)) /* who departs from an earlier one completes nothing */
        round_complete(s, o);
    if (!arrives) {
        need(s, round < o->opened.len ? o->opened.at[round] : NONE, e);
        return;
    }
    if (o->opened.len > 0)
        need(s, o->opened.at[o->opened.len - 1], e);
    o->round = round;
    vec_push(&o->arrives, e);
}

static void once(struct pass *s, struct object_state *o, ev_id e)
{
    const struct row *r = &s->m->ev[e];
    if (r->kind == EV_ONCE_ENTER) {
        need(s, o->before, e);
    } else if (r->kind == EV_ONCE_PASS) {
        need(s, o->done, e);
    } else {
        o->before = e;
        if (!(r->detail & FLAG(FAILED)))
            o->done = e;
    }
}

/* The write that put the last of the bytes there. */
static ev_id writer_of(const struct object_state *o, uint32_t end)
{
    uint32_t low = SEARCH(i, 0, o->writes.len, o->writes.at[i].end < end);
    return low < o->writes.len ? o->writes.at[low].by : NONE;
}

static void channel(struct pass *s, struct object_state *o, ev_id e, uint32_t end)
{
    if (s->m->ev[e].kind == EV_CHANNEL_WRITE) {
        need(s, o->writes.len ? o->writes.at[o->writes.len - 1].by : NONE, e);
        vec_push(&o->writes, (struct written){end, e});
        return;
    }
    need(s, writer_of(o, end), e);
    need(s, o->read, e);
    o->read = e;
}

/* ---- things of the system ---------------------------------------------------------------- */

static struct changer *changer_of(struct object_state *o, thr_id thr)
{
    for (uint32_t i = 0; i < o->changers.len; i++)
        if (o->changers.at[i].thr == thr)
            return &o->changers.at[i];
    vec_push(&o->changers, (struct changer){thr, NONE, 0});
    return &o->changers.at[o->changers.len - 1];
}

/* Whoever has looked since this thread's last change would have been told something else. */
static void change(struct pass *s, struct object_state *o, ev_id e)
{
    thr_id thr = s->m->ev[e].thr;
    struct changer *c = changer_of(o, thr);
    for (; c->seen < o->looks.len; c->seen++)
        if (s->m->ev[o->looks.at[c->seen]].thr != thr)
            vec_push(&s->bars, (struct need){o->looks.at[c->seen], e});
    c->last = e;
}

static void thing(struct pass *s, struct object_state *o, ev_id e, uint32_t said)
{
    switch (s->m->ev[e].kind) {
    case EV_CHANGE:
        change(s, o, e);
        return;
    case EV_HEAR:
        if (said != NONE && !model_is_cause(s->m, e))
            need(s, model_find(s->m, said), e);
        return;
    case EV_SUM:
        for (uint32_t i = 0; i < o->changers.len; i++)
            need(s, o->changers.at[i].last, e);
        break;
    default:
        break;
    }
    vec_push(&o->looks, e);
}

/* ---- locks and semaphores ---------------------------------------------------------------- */

static void lock(struct pass *s, struct object_state *o, ev_id e)
{
    const struct row *r = &s->m->ev[e];
    uint32_t *count = r->detail & FLAG(SHARED) ? &o->readers : &o->owners;
    if (r->kind == EV_ACQUIRE) {
        if (o->is_abandoned)
            need(s, o->before, e);
        if (!(r->detail & FLAG(SHARED)))
            need(s, o->favour, e);
        ++*count;
        return;
    }
    o->before = e;
    if (s->m->ev[s->m->link[e]].detail & FLAG(SHARED))
        o->readers--;
    else
        o->owners--;
}

static void semaphore(struct pass *s, sync_id id, ev_id e, uint32_t value)
{
    struct object_state *o = &s->objects[id];
    struct sync *sync = &s->m->syncs[id];
    bool post = s->m->ev[e].kind == EV_SEM_POST;
    if (!o->is_known)
        sync->level = o->level = post ? value - (value > 0) : value + 1;
    o->is_known = true;
    sync->is_odd |= post ? value <= o->level : o->level != value + 1;
    s->m->link[e] = post && value > o->level ? value - o->level : 1;
    o->level = value;
}

/* A refusal or time-out that says: it could not be had. */
static void refusal(struct pass *s, sync_id id, ev_id e, uint32_t error)
{
    struct model *m = s->m;
    struct object_state *o = &s->objects[id];
    bool late = m->ev[e].kind == EV_TIMEOUT;
    if (m->syncs[id].on == ON_SEM && (late || error == EAGAIN || error == EINVAL)) {
        if (!o->is_known)
            m->syncs[id].level = o->level = 0;
        o->is_known = true;
        m->ev[e].detail |= DETAIL_BUSY;
        m->syncs[id].is_odd |= o->level > 0;
    } else if (m->syncs[id].on == ON_LOCK && (late || error == EBUSY || error == EINVAL)) {
        if (o->owners > 0 || (o->readers > 0 && !(m->ev[e].detail & FLAG(SHARED)))) {
            m->ev[e].detail |= DETAIL_BUSY;
        } else { /* for a writer that waits: not after that one has got it */
            pin(s, e);
            o->favour = e;
        }
    } else if (m->syncs[id].on == ON_LOCK && error == ENOTRECOVERABLE) {
        need(s, o->before, e);
    }
}

/* ---- the pass ---------------------------------------------------------------------------- */

static void sync_event(struct pass *s, ev_id e)
{
    sync_id id = s->m->obj[e];
    struct object_state *o = &s->objects[id];
    uint32_t said = map_find(s->said, model_number(s->m, e));
    switch (s->m->ev[e].kind) {
    case EV_ACQUIRE:
    case EV_RELEASE:
        lock(s, o, e);
        break;
    case EV_ARRIVE:
    case EV_DEPART:
        barrier(s, o, e, said);
        break;
    case EV_ONCE_ENTER:
    case EV_ONCE_LEAVE:
    case EV_ONCE_PASS:
        once(s, o, e);
        break;
    case EV_CHANNEL_READ:
    case EV_CHANNEL_WRITE:
        channel(s, o, e, said);
        break;
    case EV_CHANGE:
    case EV_LOOK:
    case EV_SUM:
    case EV_HEAR:
        thing(s, o, e, said);
        break;
    case EV_SEM_POST:
    case EV_SEM_WAIT:
        semaphore(s, id, e, said);
        break;
    case EV_INIT:
        o->is_known = true; /* a semaphore that begins with something is posted to */
        break;
    case EV_REFUSED:
    case EV_TIMEOUT:
        refusal(s, id, e, said);
        break;
    default:
        break;
    }
}

/* While accesses are not recorded nobody knows what an event depends on: everything keeps its
 * order, behind all that was before, and before whatever a thread does next. */
static void keep_order(struct pass *s, ev_id e)
{
    const struct model *m = s->m;
    struct row r = m->ev[e];
    need(s, s->resumed[r.thr], e);
    s->resumed[r.thr] = NONE;
    need(s, s->unseen, e);
    if (s->unseen != NONE)
        s->unseen = e;
    if (r.kind != EV_MARK)
        return;
    if (m->obj[e] == WORD_VALUE(MARK, FORK)) { /* what the others did is done */
        pin(s, e);
    } else if (m->obj[e] == WORD_VALUE(MARK, PAUSE)) {
        pin(s, e);
        s->unseen = e;
    } else if (m->obj[e] == WORD_VALUE(MARK, RECORD)) { /* or what else came from outside */
        pin(s, e);
        for (thr_id t = 0; t < m->thread_count && s->unseen != NONE; t++)
            s->resumed[t] = e;
        s->unseen = NONE;
    }
}

static void event(struct pass *s, ev_id e)
{
    const struct model *m = s->m;
    struct row r = m->ev[e];
    need(s, s->cancel[r.thr], e);
    s->cancel[r.thr] = NONE;
    keep_order(s, e);
    switch (r.kind) {
    case EV_EXTERNAL_WRITE:
    case EV_HANDLER_ENTER:
        pin_since(s, e, s->since[r.thr]);
        break;
    case EV_INPUT: /* a bare result, as of a write, depends on nobody */
        if (!(r.detail & DETAIL_BYTES))
            break;
        need(s, s->input, e);
        s->input = e;
        break;
    case EV_CANCEL: /* whether the thread noticed it at its next event: it keeps its place */
        need(s, s->last[m->obj[e]], e);
        s->cancel[m->obj[e]] = e;
        break;
    default:
        if (kind_is_sync(r.kind))
            sync_event(s, e);
    }
    s->since[r.thr] = model_is_cause(m, e) ? map_find(s->said, model_number(m, e)) : NONE;
    s->last[r.thr] = e;
}

static int by_target(const void *left, const void *right)
{
    const struct need *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* Each once; so many are left. */
static uint32_t sort_pairs(struct need *at, uint32_t len)
{
    uint32_t kept = 0;
    if (len > 0)
        qsort(at, len, sizeof *at, by_target);
    for (uint32_t i = 0; i < len; i++)
        if (kept == 0 || by_target(&at[kept - 1], &at[i]) != 0)
            at[kept++] = at[i];
    return kept;
}

static struct object_state *objects_new(const struct model *m)
{
    struct object_state *all = mem_zeroed(m->sync_count + 1, sizeof *all);
    for (sync_id i = 0; i < m->sync_count; i++)
        all[i].before = all[i].done = all[i].read = all[i].favour = NONE;
    for (ev_id e = 0; e < m->ev_count; e++)
        if (m->ev[e].kind == EV_RELEASE && (m->ev[e].detail & FLAG(ABANDONED)))
            all[m->obj[e]].is_abandoned = true;
    return all;
}

static ev_id *nothing(uint32_t count)
{
    ev_id *a = mem_get((count + 1) * sizeof *a);
    memset(a, 0xff, (count + 1) * sizeof *a);
    return a;
}

void build_needs(struct model *m, const struct map *said)
{
    struct pass s = {.m = m, .said = said, .input = NONE, .unseen = NONE};
    s.objects = objects_new(m);
    s.last = nothing(m->thread_count);
    s.cancel = nothing(m->thread_count);
    s.resumed = nothing(m->thread_count);
    s.since = mem_get((m->thread_count + 1) * sizeof *s.since);
    memset(s.since, 0xff, (m->thread_count + 1) * sizeof *s.since);
    for (ev_id e = 0; e < m->ev_count; e++)
        event(&s, e);
    m->needs = s.needs.at;
    m->need_count = sort_pairs(s.needs.at, s.needs.len);
    m->bars = s.bars.at;
    m->bar_count = sort_pairs(s.bars.at, s.bars.len);
    for (sync_id i = 0; i < m->sync_count; i++) {
        vec_done(&s.objects[i].arrives);
        vec_done(&s.objects[i].opened);
        vec_done(&s.objects[i].writes);
        vec_done(&s.objects[i].changers);
        vec_done(&s.objects[i].looks);
    }
    free(s.objects);
    free(s.last);
    free(s.cancel);
    free(s.resumed);
    free(s.since);
}
