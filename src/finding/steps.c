/* SPDX-License-Identifier: Apache-2.0
 *
 * steps: the trace is walked twice. The first walk learns which bytes anybody touches, because
 * a free writes all of those in its block, and where accesses begin and end, so that bytes
 * which always go together count once; the second makes the steps. Locking is folded to
 * the outermost level, and a wait that the trace gives as one event becomes the steps that it
 * stands for. */
#include "finding/steps.h"

#include <string.h>

struct wait_state {
    step_id enter;
    uint64_t cond, lock; /* lock: of a wait in one event that follows its release, else 0 */
    bool woken;
    step_id notify;
};

struct hold {
    uint64_t lock;
    uint32_t depth;
};

struct walker {
    struct checker *c;
    struct space *space;
    struct map by_offset; /* object << 32 | offset -> place */
    struct map by_addr;   /* of bytes in no object */
    struct map locks;     /* address -> lock */
    VEC(uint32_t) place_next;
    VEC(uint32_t) object_first;   /* by object: its last place, linked by place_next */
    VEC(step_id) last_write;      /* by place */
    VEC(step_id) last_step;       /* by thread */
    VEC(struct wait_state) waits; /* in order of enter */
    VEC(uint32_t) current;        /* by thread: its wait under way, or NONE */
    VEC(uint64_t) released;       /* by thread: lock its last event released, or 0 */
    VEC(struct hold) whole;       /* by thread: lock a one-event wait has to regain */
    VEC(struct hold) * held;      /* by thread */
};

/* ---- bytes ----------------------------------------------------------------------------- */

static uint32_t place_add(struct walker *w, obj_id object)
{
    uint32_t place = w->c->place_count++;
    uint32_t next = NONE;
    if (object != NONE) {
        while (w->object_first.len <= object)
            vec_push(&w->object_first, NONE);
        next = w->object_first.at[object];
        w->object_first.at[object] = place;
    }
    vec_push(&w->place_next, next);
    vec_push(&w->last_write, NONE);
    return place;
}

/* Where the place that begins at this byte stands, whether there is one or not. */
static uint32_t place_find(const struct walker *w, obj_id object, uint64_t addr)
{
    if (object == NONE)
        return map_find(&w->by_addr, addr);
    return map_find(&w->by_offset,
                    (uint64_t)object << 32 | (addr - space_object(w->space, object)->addr));
}

static uint32_t place_of(struct walker *w, obj_id object, uint64_t addr)
{
    uint32_t *slot;
    if (object == NONE)
        slot = map_at(&w->by_addr, addr);
    else
        slot = map_at(&w->by_offset,
                      (uint64_t)object << 32 | (addr - space_object(w->space, object)->addr));
    if (*slot == NONE)
        *slot = place_add(w, object);
    return *slot;
}

/* Bytes that no access parts are one place: only where some access begins or ends, another
 * place begins. */
static void note_edges(struct walker *w, const struct ev *e, uint64_t len)
{
    for (uint64_t addr = e->addr, end = e->addr + len; addr < end;) {
        obj_id object = space_find(w->space, addr);
        place_of(w, object, addr);
        addr = space_until(w->space, addr, end);
        if (addr == end)
            place_of(w, object, addr);
    }
}

static void add_places(struct walker *w, const struct ev *e, uint64_t len)
{
    for (uint64_t addr = e->addr, end = e->addr + len; addr < end;) {
        obj_id object = space_find(w->space, addr);
        uint64_t until = space_until(w->space, addr, end);
        for (; addr < until; addr++) {
            uint32_t place = place_find(w, object, addr);
            if (place != NONE)
                vec_push(&w->c->bytes, place);
        }
    }
}

static uint64_t length_of(const struct ev *e)
{
    return ev_is_scalar(e->kind) ? e->size : e->len;
}

static void block_bytes(struct walker *w, const struct ev *e)
{
    obj_id object = space_find(w->space, e->addr);
    if (object == NONE || space_object(w->space, object)->addr != e->addr) {
        vec_push(&w->c->bytes, place_of(w, object, e->addr));
        return;
    }
    if (object >= w->object_first.len)
        return;
    for (uint32_t p = w->object_first.at[object]; p != NONE; p = w->place_next.at[p])
        vec_push(&w->c->bytes, p);
}

/* ---- steps ----------------------------------------------------------------------------- */

static step_id step_add(struct walker *w, const struct ev *e, enum step_op op, uint32_t obj,
                        uint64_t number)
{
    struct checker *c = w->c;
    step_id id = c->steps.len;
    struct step new = {.op = (uint8_t)op,
                       .thr = e->thr,
                       .obj = obj,
                       .first = c->bytes.len,
                       .enter = NONE,
                       .notify = NONE,
                       .next = NONE,
                       .number = number};
    vec_push(&c->steps, new);
    if (w->last_step.at[e->thr] == NONE)
        c->start[e->thr] = id;
    else
        step_of(c, w->last_step.at[e->thr])->next = id;
    w->last_step.at[e->thr] = id;
    c->main[number] = id;
    return id;
}

static void add_memory(struct walker *w, const struct ev *e, uint64_t number)
{
    struct checker *c = w->c;
    step_id id = step_add(w, e, STEP_MEMORY, 0, number);
    struct step *s = step_of(c, id);
    if (e->kind == EV_FREE)
        block_bytes(w, e);
    else
        add_places(w, e, length_of(e));
    s->count = c->bytes.len - s->first;
    s->atomic = e->kind >= EV_ATOMIC_LOAD && e->kind <= EV_CAS;
    s->tests = e->kind == EV_CAS;
    s->reads = e->kind == EV_READ || e->kind == EV_READ_RANGE || e->kind == EV_ATOMIC_LOAD ||
               e->kind == EV_RMW || e->kind == EV_CAS;
    s->writes =
        !s->reads || e->kind == EV_RMW || (e->kind == EV_CAS && !(e->flags & FLAG(FAILED)));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t place = c->bytes.at[s->first + i];
        vec_push(&c->seen, w->last_write.at[place]);
        if (s->writes)
            w->last_write.at[place] = id;
    }
}

static uint32_t lock_of(struct walker *w, uint64_t addr)
{
    uint32_t *slot = map_at(&w->locks, addr);
    if (*slot == NONE)
        *slot = w->c->lock_count++;
    return *slot;
}

static struct hold *hold_of(struct walker *w, uint32_t thr, uint64_t lock)
{
    for (uint32_t i = w->held[thr].len; i-- > 0;)
        if (w->held[thr].at[i].lock == lock)
            return &w->held[thr].at[i];
    return NULL;
}

static void hold_end(struct walker *w, uint32_t thr, struct hold *h)
{
    uint32_t at = (uint32_t)(h - w->held[thr].at);
    w->held[thr].len--;
    memmove(h, h + 1, (w->held[thr].len - at) * sizeof *h);
}

/* ---- waits ----------------------------------------------------------------------------- */

static void wait_begin(struct walker *w, const struct ev *e, step_id enter, uint64_t lock)
{
    w->current.at[e->thr] = w->waits.len;
    vec_push(&w->waits, (struct wait_state){enter, e->addr, lock, false, NONE});
}

/* The step that ends the wait needs what woke it. A wait that nobody woke can no longer be. */
static void wait_end(struct walker *w, uint32_t thr, step_id end)
{
    struct wait_state *s = &w->waits.at[w->current.at[thr]];
    step_of(w->c, end)->enter = s->enter;
    step_of(w->c, end)->notify = s->notify;
    s->woken = true;
}

/* An imported trace does not say who woke whom: whoever has waited longest, or all. */
static void notify(struct walker *w, uint64_t cond, step_id by, bool all)
{
    if (!(w->c->trace->head.flags & TRACE_IMPORTED))
        return;
    for (uint32_t i = 0; i < w->waits.len; i++) {
        struct wait_state *s = &w->waits.at[i];
        if (s->woken || s->cond != cond)
            continue;
        s->woken = true;
        s->notify = by;
        if (!all)
            return;
    }
}

/* A recorded trace says it at the end of the wait. */
static void wait_leave(struct walker *w, const struct ev *e, step_id leave)
{
    uint32_t now = w->current.at[e->thr];
    if (now == NONE)
        return;
    struct checker *c = w->c;
    step_id end = leave;
    for (step_id i = step_of(c, w->waits.at[now].enter)->next; i != NONE && i != leave;
         i = step_of(c, i)->next)
        if (step_of(c, i)->op == STEP_ACQUIRE)
            end = i;
    if (!(c->trace->head.flags & TRACE_IMPORTED) && e->ref < c->event_count) {
        step_id by = c->main[e->ref];
        if (by != NONE && by > w->waits.at[now].enter && step_of(c, by)->op == STEP_NOTIFY)
            w->waits.at[now].notify = by;
    }
    wait_end(w, e->thr, end);
    w->current.at[e->thr] = NONE;
}

/* A wait in one event. Behind a release it is that lock's; else it lets go of the lock taken
 * last, and has it again before the thread's next event. */
static void whole_wait(struct walker *w, const struct ev *e, uint64_t released, uint64_t number)
{
    uint32_t thr = e->thr;
    step_id enter = step_add(w, e, STEP_NOTHING, 0, number);
    wait_begin(w, e, enter, released);
    if (released || w->held[thr].len == 0)
        return;
    struct hold h = w->held[thr].at[--w->held[thr].len];
    w->whole.at[thr] = h;
    step_add(w, e, STEP_RELEASE, lock_of(w, h.lock), number);
}

static void whole_wait_end(struct walker *w, const struct ev *e, uint64_t number)
{
    struct hold h = w->whole.at[e->thr];
    step_id end = step_add(w, e, STEP_ACQUIRE, lock_of(w, h.lock), number);
    wait_end(w, e->thr, end);
    w->current.at[e->thr] = NONE;
    step_add(w, e, STEP_NOTHING, 0, number);
    vec_push(&w->held[e->thr], h);
    w->whole.at[e->thr] = (struct hold){0, 0};
}

/* ---- the walks ------------------------------------------------------------------------- */

static void add_acquire(struct walker *w, const struct ev *e, uint64_t number)
{
    struct hold *h = hold_of(w, e->thr, e->addr);
    if (h) {
        h->depth++;
        return;
    }
    vec_push(&w->held[e->thr], (struct hold){e->addr, 1});
    step_id id = step_add(w, e, STEP_ACQUIRE, lock_of(w, e->addr), number);
    uint32_t now = w->current.at[e->thr];
    if (now == NONE || !w->waits.at[now].lock)
        return;
    if (w->waits.at[now].lock == e->addr)
        wait_end(w, e->thr, id);
    w->waits.at[now].woken = true;
    w->current.at[e->thr] = NONE;
}

static void add_release(struct walker *w, const struct ev *e, uint64_t number)
{
    struct hold *h = hold_of(w, e->thr, e->addr);
    if (!h || --h->depth > 0)
        return;
    hold_end(w, e->thr, h);
    step_add(w, e, STEP_RELEASE, lock_of(w, e->addr), number);
    w->released.at[e->thr] = e->addr;
}

static void add_sync(struct walker *w, const struct ev *e, uint64_t number)
{
    uint64_t released = w->released.at[e->thr];
    w->released.at[e->thr] = 0;
    step_id id;
    switch (e->kind) {
    case EV_ACQUIRE:
        add_acquire(w, e, number);
        return;
    case EV_RELEASE:
        add_release(w, e, number);
        return;
    case EV_WAIT:
        whole_wait(w, e, released, number);
        return;
    case EV_WAIT_ENTER:
        wait_begin(w, e, step_add(w, e, STEP_NOTHING, 0, number), 0);
        return;
    case EV_WAIT_LEAVE:
        id = step_add(w, e, STEP_NOTHING, 0, number);
        wait_leave(w, e, id);
        return;
    case EV_SIGNAL:
    case EV_BROADCAST:
        id = step_add(w, e, STEP_NOTIFY, 0, number);
        notify(w, e->addr, id, e->kind == EV_BROADCAST);
        return;
    default:
        step_add(w, e, STEP_NOTHING, 0, number);
    }
}

static bool is_memory(unsigned kind)
{
    return ev_acts_on(kind) == ON_MEMORY || kind == EV_FREE;
}

static bool is_log_mark(const struct ev *e)
{
    return e->kind == EV_MARK && e->word >= WORD_VALUE(MARK, LOG_BEGIN);
}

static void add_event(struct walker *w, const struct ev *e, uint64_t number)
{
    if (w->whole.at[e->thr].lock)
        whole_wait_end(w, e, number);
    if (ev_acts_on(e->kind) < ON_SYNC && e->kind != EV_BRANCH)
        w->released.at[e->thr] = 0;
    if (is_memory(e->kind)) {
        add_memory(w, e, number);
    } else if (e->kind == EV_CREATE) {
        step_id id = step_add(w, e, STEP_CREATE, e->peer, number);
        if (w->c->start[e->peer] == NONE && w->c->create[e->peer] == NONE)
            w->c->create[e->peer] = id;
    } else if (ev_acts_on(e->kind) >= ON_SYNC) {
        add_sync(w, e, number);
    } else if (e->kind == EV_JOIN) {
        step_add(w, e, STEP_JOIN, e->peer, number);
    } else if (!is_log_mark(e)) {
        step_add(w, e, e->kind == EV_BRANCH ? STEP_BRANCH : STEP_NOTHING, 0, number);
    }
}

static void first_walk(struct walker *w, const struct ev *e, uint64_t number)
{
    (void)number;
    if (ev_acts_on(e->kind) == ON_MEMORY)
        note_edges(w, e, length_of(e));
}

static int walk(struct walker *w, void (*visit)(struct walker *, const struct ev *, uint64_t),
                struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, w->c->trace);
    c->values = false;
    w->space = space_new();
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        space_feed(w->space, c, item, &e);
        if (item == ITEM_EVENT)
            visit(w, &e, c->number - 1);
    }
    w->c->event_count = c->number;
    w->c->thread_count = c->thread_count;
    space_free(w->space);
    free(c);
    return item < 0 ? -1 : 0;
}

static step_id *none_array(uint64_t count)
{
    step_id *a = mem_get((count + 1) * sizeof *a);
    memset(a, 0xff, (count + 1) * sizeof *a);
    return a;
}

static void threads_begin(struct walker *w)
{
    uint32_t count = w->c->thread_count;
    w->c->start = none_array(count);
    w->c->create = none_array(count);
    w->c->main = none_array(w->c->event_count);
    w->held = calloc(count + 1, sizeof *w->held);
    CHECK(w->held);
    for (uint32_t t = 0; t < count; t++) {
        vec_push(&w->last_step, NONE);
        vec_push(&w->current, NONE);
        vec_push(&w->released, 0);
        vec_push(&w->whole, (struct hold){0, 0});
    }
}

static void walker_done(struct walker *w)
{
    for (uint32_t t = 0; w->held && t < w->c->thread_count; t++)
        vec_done(&w->held[t]);
    free(w->held);
    map_done(&w->by_offset);
    map_done(&w->by_addr);
    map_done(&w->locks);
    vec_done(&w->place_next);
    vec_done(&w->object_first);
    vec_done(&w->last_write);
    vec_done(&w->last_step);
    vec_done(&w->waits);
    vec_done(&w->current);
    vec_done(&w->released);
    vec_done(&w->whole);
}

int steps_read(struct checker *c, struct err *err)
{
    struct walker w = {.c = c};
    int failed = walk(&w, first_walk, err);
    if (!failed) {
        threads_begin(&w);
        failed = walk(&w, add_event, err);
    }
    walker_done(&w);
    return failed;
}
