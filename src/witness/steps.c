/* SPDX-License-Identifier: Apache-2.0
 *
 * steps: a first walk along the trace learns which bytes anybody touches, because a free writes
 * all of those in its block, and where accesses begin and end, so that bytes which always go
 * together count once. Then the steps are made as they are needed. Locking is folded to the
 * outermost level, and a wait that the trace gives as one event becomes the steps that it
 * stands for. */
#include "base/search.h"
#include "base/stop.h"
#include "witness/objects.h"

#include <string.h>

enum {
    FUTEX_BYTES = 4,
    KNOWN_COUNT = 1 << 12, /* accesses that are remembered; a power of 2 */
};

struct wait_state {
    step_id enter, acquire; /* acquire: its thread's last since then, or NONE */
    uint64_t cond, lock;    /* lock: of a wait in one event that follows its release, else 0 */
    bool woken;
    step_id notify;
};

struct hold {
    uint64_t lock;
    uint32_t depth;
    bool shared;
};

/* An access that covers one place, while no object begins: most are like one before. */
struct known {
    uint64_t addr, len;
    uint32_t objects; /* so many have begun, and one more: 0 is nothing */
    uint32_t place;
};

/* A step that others name by the number of its event. */
struct named {
    uint64_t number;
    step_id step;
};

struct walker {
    struct checker *c;
    struct trace_cursor *cursor;
    struct space *space;
    /* what the first walk has found */
    struct map by_offset; /* object << 32 | offset -> place */
    struct map by_addr;   /* of bytes in no object */
    VEC(uint32_t) place_next;
    VEC(uint32_t) object_first; /* by object: its last place, linked by place_next */
    /* where the reading stands */
    struct objects objects;
    VEC(step_id) last_write;      /* by place */
    VEC(step_id) last_step;       /* by thread */
    VEC(step_id) last_memory;     /* by thread: its last access */
    VEC(struct wait_state) waits; /* in order of enter */
    uint32_t waits_over;          /* those before it need no notification any more */
    VEC(struct named) notifies;   /* in trace order */
    VEC(uint32_t) current;        /* by thread: its wait under way, or NONE */
    VEC(uint64_t) released;       /* by thread: lock its last event released, or 0 */
    VEC(struct hold) whole;       /* by thread: lock a one-event wait has to regain */
    VEC(struct hold) * held;      /* by thread */
    struct known *known;          /* by address */
    uint32_t begun;               /* objects that have begun to live, and one more */
    bool *unsettled; /* by thread: what ends its wait has been read, but not what woke it */
    uint32_t unsettled_count;
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

static struct known *known_at(const struct walker *w, uint64_t addr)
{
    return &w->known[(addr >> 3 ^ addr >> 15) & (KNOWN_COUNT - 1)];
}

static bool is_known(const struct walker *w, const struct known *k, uint64_t addr, uint64_t len)
{
    return k->addr == addr && k->len == len && k->objects == w->begun;
}

/* Bytes that no access parts are one place: only where some access begins or ends, another
 * place begins. */
static void note_edges(struct walker *w, const struct ev *e, uint64_t len)
{
    struct known *k = known_at(w, e->addr);
    if (is_known(w, k, e->addr, len))
        return;
    *k = (struct known){e->addr, len, w->begun, NONE};
    for (uint64_t addr = e->addr, end = e->addr + len; addr < end;) {
        obj_id object = space_find(w->space, addr);
        place_of(w, object, addr);
        addr = space_until(w->space, addr, end);
        if (addr == end)
            place_of(w, object, addr);
    }
}

static void find_places(struct walker *w, const struct ev *e, uint64_t len)
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

static void add_places(struct walker *w, const struct ev *e, uint64_t len)
{
    struct known *k = known_at(w, e->addr);
    uint32_t first = w->c->bytes.len;
    if (is_known(w, k, e->addr, len)) {
        vec_push(&w->c->bytes, k->place);
        return;
    }
    find_places(w, e, len);
    if (w->c->bytes.len == first + 1)
        *k = (struct known){e->addr, len, w->begun, w->c->bytes.at[first]};
}

static uint64_t length_of(const struct ev *e)
{
    if (e->kind == EV_REQUEST || e->kind == EV_FUTEX_WAIT) /* what the kernel looks at */
        return FUTEX_BYTES;
    return ev_is_scalar(e->kind) ? e->size : e->len;
}

static bool is_block(const struct walker *w, obj_id object, uint64_t addr)
{
    return object != NONE && space_object(w->space, object)->addr == addr;
}

static void block_bytes(struct walker *w, const struct ev *e)
{
    obj_id object = space_find(w->space, e->addr);
    if (!is_block(w, object, e->addr)) {
        vec_push(&w->c->bytes, place_find(w, object, e->addr));
        return;
    }
    if (object >= w->object_first.len)
        return;
    for (uint32_t p = w->object_first.at[object]; p != NONE; p = w->place_next.at[p])
        vec_push(&w->c->bytes, p);
}

/* ---- steps ----------------------------------------------------------------------------- */

/* The thread's next step, for the machine too if it has executed all that were read. */
static void step_link(struct walker *w, uint32_t thr, step_id id)
{
    struct checker *c = w->c;
    step_id last = w->last_step.at[thr];
    if (last != NONE && last >= c->base)
        step_of(c, last)->next = id;
    if (c->at[thr] == NONE)
        c->at[thr] = id;
    w->last_step.at[thr] = id;
}

static bool kind_gives(unsigned kind)
{
    switch (kind) {
    case EV_SEM_POST:
    case EV_ARRIVE:
    case EV_ONCE_LEAVE:
    case EV_CHANNEL_WRITE:
    case EV_CHANGE:
    case EV_SIGNAL:
    case EV_BROADCAST:
    case EV_FUTEX_WAKE:
        return true;
    default:
        return false;
    }
}

static bool kind_gets(unsigned kind)
{
    switch (kind) {
    case EV_SEM_WAIT:
    case EV_DEPART:
    case EV_ONCE_ENTER:
    case EV_ONCE_PASS:
    case EV_CHANNEL_READ:
    case EV_LOOK:
    case EV_SUM:
    case EV_HEAR:
    case EV_WAIT_LEAVE:
    case EV_FUTEX_WAIT:
        return true;
    default:
        return false;
    }
}

static step_id step_add(struct walker *w, const struct ev *e, enum step_op op, uint32_t obj,
                        uint64_t number)
{
    struct checker *c = w->c;
    step_id id = c->base + c->steps.len;
    struct step new = {.op = (uint8_t)op,
                       .thr = e->thr,
                       .gives = op == STEP_RELEASE || kind_gives(e->kind),
                       .gets = op == STEP_ACQUIRE || kind_gets(e->kind),
                       .order = e->order,
                       .obj = obj,
                       .first = c->bytes.len,
                       .need = NONE,
                       .enter = NONE,
                       .notify = NONE,
                       .next = NONE,
                       .number = number};
    vec_push(&c->steps, new);
    vec_push(&c->when, 0);
    step_link(w, e->thr, id);
    if (op == STEP_ACQUIRE && w->current.at[e->thr] != NONE)
        w->waits.at[w->current.at[e->thr]].acquire = id;
    c->main.at[number - c->main_base] = id;
    return id;
}

static step_id add_memory(struct walker *w, const struct ev *e, uint64_t number)
{
    struct checker *c = w->c;
    step_id id = step_add(w, e, STEP_MEMORY, 0, number);
    struct step *s = step_of(c, id);
    if (ev_ends_life(e->kind))
        block_bytes(w, e);
    else
        add_places(w, e, length_of(e));
    s->count = c->bytes.len - s->first;
    s->atomic = (e->kind >= EV_ATOMIC_LOAD && e->kind <= EV_CAS) || e->kind == EV_REQUEST;
    s->tests = e->kind == EV_CAS;
    s->reads = e->kind == EV_READ || e->kind == EV_READ_RANGE || e->kind == EV_ATOMIC_LOAD ||
               e->kind == EV_RMW || e->kind == EV_CAS || e->kind == EV_REQUEST;
    s->writes =
        !s->reads || e->kind == EV_RMW || (e->kind == EV_CAS && !(e->flags & FLAG(FAILED)));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t place = c->bytes.at[s->first + i];
        vec_push(&c->seen, w->last_write.at[place]);
        if (s->writes)
            w->last_write.at[place] = id;
    }
    return id;
}

/* Of a lock that has been seen before. */
static uint32_t lock_of(struct walker *w, uint64_t addr)
{
    return object_of(&w->objects, w->space, &(struct ev){.kind = EV_ACQUIRE, .addr = addr});
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
    vec_push(&w->waits, (struct wait_state){enter, NONE, e->addr, lock, false, NONE});
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
    while (w->waits_over < w->waits.len && w->waits.at[w->waits_over].woken)
        w->waits_over++;
    for (uint32_t i = w->waits_over; i < w->waits.len; i++) {
        struct wait_state *s = &w->waits.at[i];
        if (s->woken || s->cond != cond)
            continue;
        s->woken = true;
        s->notify = by;
        if (!all)
            return;
    }
}

static step_id notify_of(const struct walker *w, uint64_t number)
{
    uint32_t low = SEARCH(i, 0, w->notifies.len, w->notifies.at[i].number < number);
    bool found = low < w->notifies.len && w->notifies.at[low].number == number;
    return found ? w->notifies.at[low].step : NONE;
}

/* A recorded trace says it at the end of the wait. */
static void wait_leave(struct walker *w, const struct ev *e, step_id leave)
{
    uint32_t now = w->current.at[e->thr];
    if (now == NONE)
        return;
    struct wait_state *s = &w->waits.at[now];
    if (!(w->c->trace->head.flags & TRACE_IMPORTED)) {
        step_id by = notify_of(w, e->ref);
        if (by != NONE && by > s->enter)
            s->notify = by;
    }
    wait_end(w, e->thr, s->acquire != NONE ? s->acquire : leave);
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
    w->whole.at[e->thr] = (struct hold){0};
}

/* A futex wait is one without a lock that begins where the kernel looked at the word. */
static void futex_wait(struct walker *w, const struct ev *e, step_id enter, step_id id)
{
    struct checker *c = w->c;
    step_id by = notify_of(w, e->ref);
    if (enter == NONE || by == NONE || by < enter || w->last_memory.at[e->thr] != enter)
        return;
    step_of(c, id)->enter = enter;
    step_of(c, id)->notify = by;
}

/* ---- the walks ------------------------------------------------------------------------- */

static void add_acquire(struct walker *w, const struct ev *e, uint32_t lock, uint64_t number)
{
    struct hold *h = hold_of(w, e->thr, e->addr);
    if (h) {
        h->depth++;
        return;
    }
    vec_push(&w->held[e->thr], (struct hold){e->addr, 1, e->flags & FLAG(SHARED)});
    step_id id = step_add(w, e, STEP_ACQUIRE, lock, number);
    step_of(w->c, id)->shared = e->flags & FLAG(SHARED);
    objects_step(&w->objects, e, id, lock);
    uint32_t now = w->current.at[e->thr];
    if (now == NONE || !w->waits.at[now].lock)
        return;
    if (w->waits.at[now].lock == e->addr)
        wait_end(w, e->thr, id);
    w->waits.at[now].woken = true;
    w->current.at[e->thr] = NONE;
}

static void add_release(struct walker *w, const struct ev *e, uint32_t lock, uint64_t number)
{
    struct hold *h = hold_of(w, e->thr, e->addr);
    if (!h || --h->depth > 0)
        return;
    bool shared = h->shared;
    hold_end(w, e->thr, h);
    step_id id = step_add(w, e, STEP_RELEASE, lock, number);
    step_of(w->c, id)->shared = shared;
    objects_step(&w->objects, e, id, lock);
    w->released.at[e->thr] = e->addr;
}

/* Bytes for a channel are data that somebody reads: whoever writes them must be on the
 * recorded path. */
static enum step_op op_of(unsigned kind)
{
    switch (kind) {
    case EV_SIGNAL:
    case EV_BROADCAST:
    case EV_FUTEX_WAKE:
        return STEP_NOTIFY;
    case EV_REQUEST:
        return STEP_REQUEST;
    case EV_CHANNEL_WRITE:
        return STEP_BRANCH;
    case EV_CHANGE:
        return STEP_CHANGE;
    case EV_LOOK:
    case EV_SUM:
        return STEP_LOOK;
    default:
        return STEP_NOTHING;
    }
}

static void add_other_sync(struct walker *w, const struct ev *e, uint32_t obj, uint64_t number)
{
    step_id before = w->last_step.at[e->thr];
    step_id id = step_add(w, e, op_of(e->kind), obj, number);
    step_of(w->c, id)->shared = e->flags & FLAG(SHARED);
    objects_step(&w->objects, e, id, obj);
    if (op_of(e->kind) == STEP_NOTIFY)
        vec_push(&w->notifies, (struct named){number, id});
    switch (e->kind) {
    case EV_WAIT_ENTER:
        wait_begin(w, e, id, 0);
        break;
    case EV_WAIT_LEAVE:
        wait_leave(w, e, id);
        break;
    case EV_SIGNAL:
    case EV_BROADCAST:
        notify(w, e->addr, id, e->kind == EV_BROADCAST);
        break;
    case EV_FUTEX_WAIT:
        futex_wait(w, e, before, id);
        break;
    default:
        break;
    }
}

static void add_sync(struct walker *w, const struct ev *e, uint32_t obj, uint64_t number)
{
    uint64_t released = w->released.at[e->thr];
    w->released.at[e->thr] = 0;
    switch (e->kind) {
    case EV_ACQUIRE:
        add_acquire(w, e, obj, number);
        return;
    case EV_RELEASE:
        add_release(w, e, obj, number);
        return;
    case EV_WAIT:
        whole_wait(w, e, released, number);
        return;
    default:
        add_other_sync(w, e, obj, number);
    }
}

/* A variable whose beginning was not recorded ends without a trace. */
static bool is_memory(const struct walker *w, const struct ev *e)
{
    if (e->kind != EV_STACK_LEAVE)
        return ev_acts_on(e->kind) == ON_MEMORY || e->kind == EV_FREE;
    obj_id object = space_find(w->space, e->addr);
    return is_block(w, object, e->addr) &&
           space_object(w->space, object)->class == WORD_VALUE(CLASS, STACK);
}

static bool is_log_mark(const struct ev *e)
{
    return e->kind == EV_MARK &&
           (e->word == WORD_VALUE(MARK, LOG_BEGIN) || e->word == WORD_VALUE(MARK, LOG_END));
}

static step_id add_plain(struct walker *w, const struct ev *e, uint64_t number)
{
    if (is_memory(w, e) || e->kind == EV_REQUEST)
        return w->last_memory.at[e->thr] = add_memory(w, e, number);
    if (e->kind == EV_JOIN)
        return step_add(w, e, STEP_JOIN, e->peer, number);
    if (e->kind != EV_CREATE) {
        enum step_op op = e->kind == EV_BRANCH  ? STEP_BRANCH
                          : e->kind == EV_FENCE ? STEP_FENCE
                                                : STEP_NOTHING;
        return step_add(w, e, op, 0, number);
    }
    step_id id = step_add(w, e, STEP_CREATE, e->peer, number);
    if (w->last_step.at[e->peer] == NONE && w->c->create[e->peer] == NONE)
        w->c->create[e->peer] = id;
    return id;
}

static void add_event(struct walker *w, const struct ev *e, uint64_t number)
{
    if (w->whole.at[e->thr].lock)
        whole_wait_end(w, e, number);
    if (ev_acts_on(e->kind) < ON_SYNC && e->kind != EV_BRANCH)
        w->released.at[e->thr] = 0;
    bool sync = ev_acts_on(e->kind) >= ON_SYNC;
    uint32_t obj = sync ? object_of(&w->objects, w->space, e) : NONE;
    if (sync && !(e->kind == EV_REQUEST && is_futex(&w->objects, w->space, e)))
        add_sync(w, e, obj, number);
    else if (!is_log_mark(e))
        objects_step(&w->objects, e, add_plain(w, e, number), NONE);
}

/* ---- the first walk -------------------------------------------------------------------- */

static void count_event(struct walker *w, const struct ev *e, uint64_t number)
{
    struct checker *c = w->c;
    obj_id object;
    c->ended[e->thr] = number + 1;
    if (ev_acts_on(e->kind) == ON_MEMORY || e->kind == EV_FUTEX_WAIT)
        note_edges(w, e, length_of(e));
    if (ev_acts_on(e->kind) >= ON_SYNC)
        objects_note(&w->objects, w->space, e);
    else if (e->kind == EV_FREE &&
             !is_block(w, object = space_find(w->space, e->addr), e->addr))
        place_of(w, object, e->addr);
}

static void cursor_start(struct walker *w)
{
    cursor_init(w->cursor, w->c->trace);
    w->cursor->values = false;
    space_free(w->space);
    w->space = space_new();
    w->begun = 1;
    memset(w->known, 0, KNOWN_COUNT * sizeof *w->known);
}

static void feed(struct walker *w, int item, const struct ev *e)
{
    space_feed(w->space, w->cursor, item, e);
    w->begun = space_count(w->space) + 1;
}

/* Most accesses are like one before. */
static inline bool is_seen_before(const struct walker *w, int item, const struct ev *e)
{
    return item == ITEM_EVENT && e->kind <= EV_WRITE &&
           is_known(w, known_at(w, e->addr), e->addr, e->size);
}

static int first_walk(struct walker *w, struct err *err)
{
    struct checker *c = w->c;
    struct ev e;
    int item;
    VEC(uint64_t) ended = {0};
    cursor_start(w);
    while ((item = trace_next_bare(w->cursor, &e, err)) > ITEM_END) {
        if (stop_is_late()) {
            item = err_set(err, "stopped");
            break;
        }
        if (item == ITEM_EVENT && ev_is_weak(e.kind)) {
            item = err_set(err, TRACE_WEAK_REFUSED);
            break;
        }
        if (is_seen_before(w, item, &e)) {
            ended.at[e.thr] = w->cursor->number;
            continue;
        }
        feed(w, item, &e);
        if (item == ITEM_THREAD)
            vec_push(&ended, 0);
        c->ended = ended.at;
        if (item == ITEM_EVENT)
            count_event(w, &e, w->cursor->number - 1);
    }
    c->event_count = w->cursor->number;
    c->thread_count = w->cursor->thread_count;
    c->ended = ended.at;
    return item < 0 ? -1 : 0;
}

/* ---- reading --------------------------------------------------------------------------- */

static void settle(struct walker *w, uint32_t thr)
{
    uint32_t now = w->current.at[thr];
    bool unsettled = now != NONE && w->waits.at[now].acquire != NONE;
    w->unsettled_count += unsettled;
    w->unsettled_count -= w->unsettled[thr];
    w->unsettled[thr] = unsettled;
}

static void read_steps(struct walker *w, const struct ev *e)
{
    struct checker *c = w->c;
    vec_push(&c->main, NONE);
    c->read++;
    add_event(w, e, c->read - 1);
    settle(w, e->thr);
}

static void next_event(struct walker *w, struct ev *e)
{
    struct err err;
    int item;
    do {
        item = trace_next_bare(w->cursor, e, &err);
        CHECK(item > ITEM_END); /* the first walk came through */
        if (item != ITEM_EVENT || e->kind > EV_WRITE)
            feed(w, item, e);
    } while (item != ITEM_EVENT);
}

static void read_event(struct walker *w)
{
    struct ev e;
    next_event(w, &e);
    read_steps(w, &e);
}

/* Is an access by this thread nothing but that: not in a wait, and behind nothing special? */
static inline bool is_quiet(const struct walker *w, uint32_t thr)
{
    const struct objects *o = &w->objects;
    return w->current.at[thr] == NONE && !w->whole.at[thr].lock && !o->is_blind &&
           o->seeing[thr].step == NONE && o->cancel[thr].step == NONE;
}

bool steps_plain(struct checker *c, struct plain *out)
{
    struct walker *w = c->walker;
    struct ev e;
    CHECK(c->steps.len == 0 && c->main.len == 0 && c->read < c->event_count);
    next_event(w, &e);
    const struct known *k = known_at(w, e.addr);
    if (e.kind > EV_WRITE || !is_known(w, k, e.addr, e.size) || !is_quiet(w, e.thr)) {
        read_steps(w, &e);
        return false;
    }
    *out = (struct plain){.id = c->base++,
                          .thr = e.thr,
                          .place = k->place,
                          .seen = w->last_write.at[k->place],
                          .writes = e.kind == EV_WRITE};
    c->read++;
    c->main_base++;
    w->released.at[e.thr] = 0;
    w->last_step.at[e.thr] = w->last_memory.at[e.thr] = w->objects.last[e.thr] = out->id;
    if (out->writes)
        w->last_write.at[out->place] = out->id;
    return true;
}

/* What ends a wait comes before the event that says what woke it: no step counts as read
 * before that is known. */
void steps_read(struct checker *c, uint64_t end)
{
    while (c->read < c->event_count && (c->read < end || c->walker->unsettled_count > 0))
        read_event(c->walker);
}

bool is_reading(const struct checker *c, uint32_t lock, uint32_t thr)
{
    uint32_t account = map_find(&c->walker->objects.reading, (uint64_t)lock << 16 | thr);
    return account != NONE && c->reading[account];
}

static void drop_front(void *at, uint32_t *len, uint32_t count, size_t size)
{
    memmove(at, (char *)at + count * size, (*len - count) * size);
    *len -= count;
}

void steps_forget(struct checker *c, step_id before)
{
    uint32_t count = before - c->base;
    if (count < c->steps.len / 2 + 1000)
        return;
    bool all = count == c->steps.len;
    uint32_t bytes = all ? c->bytes.len : c->steps.at[count].first;
    uint64_t number = all ? c->read : c->steps.at[count].number;
    drop_front(c->steps.at, &c->steps.len, count, sizeof *c->steps.at);
    drop_front(c->when.at, &c->when.len, count, sizeof *c->when.at);
    drop_front(c->bytes.at, &c->bytes.len, bytes, sizeof *c->bytes.at);
    drop_front(c->seen.at, &c->seen.len, bytes, sizeof *c->seen.at);
    drop_front(c->main.at, &c->main.len, (uint32_t)(number - c->main_base), sizeof *c->main.at);
    for (uint32_t i = 0; i < c->steps.len; i++)
        c->steps.at[i].first -= bytes;
    c->base = before;
    c->main_base = number;
}

void steps_forget_all(struct checker *c)
{
    c->base += c->steps.len;
    c->main_base = c->read;
    c->steps.len = c->when.len = c->bytes.len = c->seen.len = c->main.len = 0;
}

static void threads_restart(struct walker *w)
{
    uint32_t count = w->c->thread_count;
    w->last_step.len = w->current.len = w->released.len = w->whole.len = 0;
    w->last_memory.len = 0;
    for (uint32_t t = 0; t < count; t++) {
        vec_push(&w->last_step, NONE);
        vec_push(&w->last_memory, NONE);
        vec_push(&w->current, NONE);
        vec_push(&w->released, 0);
        vec_push(&w->whole, (struct hold){0});
        w->held[t].len = 0;
    }
    memset(w->unsettled, 0, count * sizeof *w->unsettled);
    w->unsettled_count = 0;
    memset(w->c->create, 0xff, count * sizeof *w->c->create);
}

void steps_restart(struct checker *c)
{
    struct walker *w = c->walker;
    cursor_start(w);
    threads_restart(w);
    objects_restart(&w->objects);
    w->waits.len = w->waits_over = w->notifies.len = 0;
    w->last_write.len = 0;
    for (uint32_t i = 0; i < c->place_count; i++)
        vec_push(&w->last_write, NONE);
    c->steps.len = c->when.len = c->bytes.len = c->seen.len = c->main.len = 0;
    c->base = 0;
    c->main_base = c->read = 0;
}

int steps_open(struct checker *c, struct err *err)
{
    struct walker *w = c->walker = mem_get(sizeof *w);
    *w = (struct walker){.c = c, .cursor = mem_get(sizeof *w->cursor), .objects = {.c = c}};
    w->known = mem_get(KNOWN_COUNT * sizeof *w->known);
    if (first_walk(w, err) < 0)
        return -1;
    w->held = calloc(c->thread_count + 1, sizeof *w->held);
    w->unsettled = calloc(c->thread_count + 1, sizeof *w->unsettled);
    c->create = calloc(c->thread_count + 1, sizeof *c->create);
    CHECK(w->held && w->unsettled && c->create);
    return 0;
}

void steps_close(struct checker *c)
{
    struct walker *w = c->walker;
    for (uint32_t t = 0; w->held && t < c->thread_count; t++)
        vec_done(&w->held[t]);
    free(w->held);
    free(w->unsettled);
    free(w->cursor);
    free(w->known);
    space_free(w->space);
    map_done(&w->by_offset);
    map_done(&w->by_addr);
    objects_done(&w->objects);
    vec_done(&w->place_next);
    vec_done(&w->object_first);
    vec_done(&w->last_write);
    vec_done(&w->last_step);
    vec_done(&w->last_memory);
    vec_done(&w->waits);
    vec_done(&w->notifies);
    vec_done(&w->current);
    vec_done(&w->released);
    vec_done(&w->whole);
    free(w);
    vec_done(&c->steps);
    vec_done(&c->when);
    vec_done(&c->bytes);
    vec_done(&c->seen);
    vec_done(&c->main);
    vec_done(&c->needs);
    vec_done(&c->start_level);
    free(c->create);
    free(c->ended);
}
