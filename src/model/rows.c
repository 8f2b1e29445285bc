/* SPDX-License-Identifier: Apache-2.0
 *
 * rows: step 1 of building a model. The trace is read once; each event that may matter becomes
 * a row. Re-entrant locking is folded here, and waits that an imported trace gives as one
 * event are spelled out, because the later steps rely on both. */
#include "base/stop.h"
#include "model/making.h"

#include <errno.h>
#include <string.h>

enum { FUTEX_BYTES = 4 };

/* Ids are 32 bits; some room is left, because one event may become several rows. */
#define EVENTS_MAX (UINT32_MAX - (1u << 28))

static void rows_resize(struct builder *b, size_t cap)
{
    struct model *m = b->m;
    b->cap = (uint32_t)cap;
    m->ev = column_resize(m->files, m->ev, cap * sizeof *m->ev);
    m->obj = column_resize(m->files, m->obj, cap * sizeof *m->obj);
    m->number = column_resize(m->files, m->number, cap * sizeof *m->number);
    if (m->site_wide)
        m->site_wide = column_resize(m->files, m->site_wide, cap * sizeof *m->site_wide);
    else
        m->site_narrow = column_resize(m->files, m->site_narrow, cap * sizeof *m->site_narrow);
}

/* Little at a time: in files it is room on a disk, and moving is cheap. */
static void rows_grow(struct builder *b)
{
    CHECK(b->cap < UINT32_MAX);
    uint64_t bigger = (uint64_t)b->cap + b->cap / 8 + 1024;
    rows_resize(b, bigger < UINT32_MAX ? bigger : UINT32_MAX);
}

/* The first site that the narrow column cannot hold. */
static void sites_widen(struct builder *b)
{
    struct model *m = b->m;
    m->site_wide = column_get(m->files, b->cap * sizeof *m->site_wide);
    for (ev_id i = 0; i < m->ev_count; i++)
        m->site_wide[i] = m->site_narrow[i];
    column_free(m->site_narrow);
    m->site_narrow = NULL;
}

static inline void row_add(struct builder *b, const struct ev *e, unsigned kind, uint8_t detail,
                           uint32_t obj, uint64_t number)
{
    struct model *m = b->m;
    if (m->ev_count == b->cap)
        rows_grow(b);
    ev_id i = m->ev_count++;
    m->ev[i] = (struct row){(uint8_t)kind, detail, (uint16_t)e->thr};
    m->obj[i] = obj;
    m->number[i] = (uint32_t)number;
    if (__builtin_expect(m->site_narrow && e->site > UINT16_MAX, 0))
        sites_widen(b);
    if (m->site_narrow)
        m->site_narrow[i] = (uint16_t)e->site;
    else
        m->site_wide[i] = e->site;
}

static void add_memory(struct builder *b, const struct ev *e, uint64_t len, uint64_t number)
{
    uint8_t detail = e->kind >= EV_ATOMIC_LOAD && e->kind <= EV_CAS ? e->order : 0;
    if (e->kind == EV_CAS && (e->flags & FLAG(FAILED)))
        detail |= DETAIL_FAILED;
    for (uint64_t addr = e->addr, end = e->addr + len; addr < end;) {
        uint64_t piece = memory_piece(b->memory, addr, end - addr);
        row_add(b, e, e->kind, detail, memory_shape(b->memory, addr, piece, e->thr), number);
        addr += piece;
    }
}

/* The end of a life writes everything the object has; a sync object in it is memory that all
 * its users share. A variable whose beginning was not recorded has had one user only. */
static void add_end(struct builder *b, const struct ev *e, uint64_t number)
{
    obj_id id = space_find(b->m->space, e->addr);
    const struct object *o = id == NONE ? NULL : space_object(b->m->space, id);
    bool is_known = o && o->addr == e->addr;
    if (e->kind == EV_STACK_LEAVE && !(is_known && o->class == WORD_VALUE(CLASS, STACK)))
        return;
    if (id != NONE)
        memory_share_syncs(b->memory, id, e->thr);
    if (e->kind == EV_FREE && b->m->freeings.len < FREEINGS_MAX)
        vec_push(&b->m->freeings, (struct freeing){(uint32_t)number, e->site, e->thr});
    row_add(b, e, e->kind, 0, memory_shape(b->memory, e->addr, is_known ? o->size : 1, e->thr),
            number);
}

static struct holding *holding_of(struct thread_state *t, shape_id lock)
{
    for (uint32_t i = t->held.len; i-- > 0;)
        if (t->held.at[i].lock == lock)
            return &t->held.at[i];
    return NULL;
}

static void holding_end(struct thread_state *t, struct holding *h)
{
    uint32_t at = (uint32_t)(h - t->held.at);
    memmove(h, h + 1, (t->held.len - at - 1) * sizeof *h);
    t->held.len--;
}

static void add_acquire(struct builder *b, const struct ev *e, shape_id lock, uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    struct holding *h = holding_of(t, lock);
    if (h) {
        h->depth++;
        b->m->dropped.inner_locks++;
        return;
    }
    vec_push(&t->held, (struct holding){lock, 1});
    row_add(b, e, EV_ACQUIRE, e->flags, lock, number);
}

static void add_release(struct builder *b, const struct ev *e, shape_id lock, uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    struct holding *h = holding_of(t, lock);
    if (!h) {
        b->m->dropped.unheld_releases++;
        return;
    }
    if (--h->depth > 0) {
        b->m->dropped.inner_locks++;
        return;
    }
    holding_end(t, h);
    row_add(b, e, EV_RELEASE, e->flags, lock, number);
    t->just_released = lock;
}

/* A wait in one event. If the thread has just released a lock, that is the wait's lock and
 * its next acquire of it ends the wait. Otherwise the wait stands for all four events: it
 * releases the lock taken last, and takes it again before the thread's next event. */
static void add_whole_wait(struct builder *b, const struct ev *e, shape_id cond,
                           uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    row_add(b, e, EV_WAIT_ENTER, t->just_released ? DETAIL_SPLIT : 0, cond, number);
    if (t->just_released || t->held.len == 0)
        return;
    struct holding *h = &t->held.at[t->held.len - 1];
    t->wait_lock = h->lock;
    t->wait_cond = cond;
    t->wait_depth = h->depth;
    t->held.len--;
    row_add(b, e, EV_RELEASE, FLAG(WAITING), t->wait_lock, number);
}

static void end_whole_wait(struct builder *b, const struct ev *e, uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    if (!t->wait_lock)
        return;
    row_add(b, e, EV_ACQUIRE, FLAG(WAITING), t->wait_lock, number);
    row_add(b, e, EV_WAIT_LEAVE, 0, t->wait_cond, number);
    vec_push(&t->held, (struct holding){t->wait_lock, t->wait_depth});
    t->wait_lock = 0;
}

/* Which side table a sync event's address belongs to: one address may be a Java monitor,
 * lock and condition at once, and INIT and DESTROY say what they mean by their class. */
static enum acts_on side_of(const struct ev *e)
{
    enum acts_on on = kind_on(e->kind);
    if (e->kind == EV_REFUSED && e->number == EAGAIN) /* what only semaphores answer */
        return ON_SEM;
    if (on != ON_SYNC)
        return on;
    if (e->kind != EV_INIT && e->kind != EV_DESTROY)
        return ON_SYNC;
    return use_of_class(e->word);
}

/* A futex wait: at its request the kernel looked at the word. That read is kept also if no
 * other thread is seen at the word: the wait begins with it. */
static void add_futex_wait(struct builder *b, const struct ev *e)
{
    struct model *m = b->m;
    ev_id request = b->threads[e->thr].request;
    if (request == NONE || m->ev[request].kind != EV_REQUEST || m->ev[request].thr != e->thr)
        return;
    memory_shape(b->memory, e->addr, FUTEX_BYTES, e->thr + 1);
    m->ev[request].kind = EV_ATOMIC_LOAD;
    m->ev[request].detail = WORD_VALUE(ORDER, SEQ_CST);
    m->obj[request] = memory_shape(b->memory, e->addr, FUTEX_BYTES, e->thr);
}

/* What the columns have no room for. */
static void note(struct builder *b, const struct ev *e, uint64_t number)
{
    uint64_t said;
    switch (e->kind) {
    case EV_WAIT_LEAVE:
    case EV_FUTEX_WAIT:
    case EV_HEAR:
        if (e->ref == NO_EVENT)
            return;
        said = e->ref;
        break;
    case EV_ARRIVE:
    case EV_DEPART:
    case EV_SEM_POST:
    case EV_SEM_WAIT:
    case EV_REFUSED:
    case EV_TIMEOUT:
        said = e->number;
        break;
    case EV_CHANNEL_READ:
    case EV_CHANNEL_WRITE:
        said = e->value2 + e->len;
        break;
    default:
        return;
    }
    *map_at(&b->said, number) = said < NONE ? (uint32_t)said : NONE - 1;
}

/* Kinds whose rules say more than the columns do. */
static bool has_needs(const struct ev *e)
{
    switch (e->kind) {
    case EV_ARRIVE:
    case EV_ONCE_LEAVE:
    case EV_CHANNEL_WRITE:
    case EV_CHANGE:
    case EV_HEAR:
    case EV_SEM_POST:
    case EV_SEM_WAIT:
    case EV_REFUSED:
    case EV_TIMEOUT:
    case EV_CANCEL:
    case EV_EXTERNAL_WRITE:
    case EV_HANDLER_ENTER:
    case EV_INPUT:
        return true;
    case EV_MARK:
        return e->word == WORD_VALUE(MARK, PAUSE) || e->word == WORD_VALUE(MARK, FORK);
    default:
        return e->kind == EV_RELEASE && (e->flags & FLAG(ABANDONED));
    }
}

static void add_sync(struct builder *b, const struct ev *e, uint64_t number)
{
    if (e->kind == EV_INIT)
        memory_anew(b->memory, e->addr);
    shape_id id = memory_sync(b->memory, e->addr, side_of(e), e->thr);
    if (e->kind == EV_INIT)
        memory_class(b->memory, id, e->word);
    else if (e->kind == EV_ACQUIRE && (e->flags & FLAG(SHARED)))
        memory_class(b->memory, id, WORD_VALUE(CLASS, RWLOCK));
    shape_id released = b->threads[e->thr].just_released;
    b->threads[e->thr].just_released = 0;
    switch (e->kind) {
    case EV_ACQUIRE:
        add_acquire(b, e, id, number);
        return;
    case EV_RELEASE:
        add_release(b, e, id, number);
        return;
    case EV_WAIT:
        b->threads[e->thr].just_released = released;
        add_whole_wait(b, e, id, number);
        b->threads[e->thr].just_released = 0;
        return;
    default:
        row_add(b, e, e->kind, e->flags, id, number);
    }
    if (e->kind == EV_FUTEX_WAIT)
        add_futex_wait(b, e);
    note(b, e, number);
}

static void add_mark(struct builder *b, const struct ev *e, uint64_t number)
{
    struct model *m = b->m;
    if (e->word == WORD_VALUE(MARK, LOG_BEGIN) || e->word == WORD_VALUE(MARK, LOG_END)) {
        m->dropped.other++;
        return;
    }
    if (e->word == WORD_VALUE(MARK, BENIGN))
        vec_push(&m->benign, (struct benign){e->addr, e->len, space_find(m->space, e->addr)});
    row_add(b, e, e->kind, 0, e->word, number);
}

/* Kinds that act on nothing with an address. */
static void add_other(struct builder *b, const struct ev *e, uint64_t number)
{
    switch (e->kind) {
    case EV_CREATE:
    case EV_JOIN:
    case EV_DETACH:
    case EV_CANCEL:
        row_add(b, e, e->kind, 0, e->peer, number);
        return;
    case EV_BRANCH:
        row_add(b, e, e->kind, 0, e->word, number);
        return;
    case EV_FENCE:
        row_add(b, e, e->kind, e->order, 0, number);
        return;
    case EV_INPUT:
        row_add(b, e, e->kind, e->len > 0 ? DETAIL_BYTES : 0, (uint32_t)e->number, number);
        return;
    case EV_OUTPUT:
    case EV_HANDLER_ENTER:
    case EV_HANDLER_LEAVE:
        row_add(b, e, e->kind, 0, (uint32_t)e->number, number);
        return;
    case EV_START:
    case EV_EXIT:
    case EV_END_EXIT:
    case EV_END_ASSERT:
    case EV_END_SIGNAL:
        row_add(b, e, e->kind, 0, 0, number);
        return;
    case EV_MARK:
        add_mark(b, e, number);
        return;
    default:
        break;
    }
    if (b->keep_all)
        row_add(b, e, e->kind, 0, 0, number);
    else
        b->m->dropped.other++;
}

static void add_event(struct builder *b, const struct ev *e, uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    if (t->wait_lock)
        end_whole_wait(b, e, number);
    enum acts_on on = kind_on(e->kind);
    if (on < ON_SYNC && e->kind != EV_BRANCH)
        t->just_released = 0;
    if (on == ON_MEMORY)
        add_memory(b, e, ev_is_scalar(e->kind) ? e->size : e->len, number);
    else if (ev_ends_life(e->kind))
        add_end(b, e, number);
    else if (on >= ON_SYNC)
        add_sync(b, e, number);
    else
        add_other(b, e, number);
    if (e->kind == EV_ALLOC || e->kind == EV_STACK_ENTER)
        memory_begin(b->memory, e->addr, e->len);
    t->last = b->m->ev_count;
    t->request = e->kind == EV_REQUEST ? t->last - 1 : NONE;
    b->has_needs |= has_needs(e);
    b->has_waits |= e->kind == EV_WAIT || e->kind == EV_WAIT_ENTER || e->kind == EV_FUTEX_WAIT;
}

static void threads_grow(struct builder *b, uint32_t count)
{
    uint32_t cap = count > 2 * b->thread_cap ? count : 2 * b->thread_cap;
    b->threads = mem_resize(b->threads, cap * sizeof *b->threads);
    memset(b->threads + b->thread_cap, 0, (cap - b->thread_cap) * sizeof *b->threads);
    b->thread_cap = cap;
}

/* The hot path: a plain access like the last one there, by a thread in no special state. */
static inline bool add_access(struct builder *b, const struct ev *e, uint64_t number)
{
    struct thread_state *t = &b->threads[e->thr];
    if (e->kind > EV_WRITE || t->wait_lock || number >= EVENTS_MAX ||
        e->addr % WORD_BYTES + e->size > WORD_BYTES)
        return false;
    shape_id known = memory_known(b->memory, e->addr, e->size, e->thr);
    if (!known)
        return false;
    row_add(b, e, e->kind, 0, known, number);
    t->just_released = 0;
    t->last = b->m->ev_count;
    t->request = NONE;
    return true;
}

/* What each thread knows of each other one has to fit into memory: a trace with more of them is
 * cut before that. */
static uint32_t threads_most(void)
{
    enum { PAIR_BYTES = 64, THREADS_MOST = 4096 };
    uint64_t bytes = stop_memory_bytes();
    uint32_t most = THREADS_MOST;
    while (bytes && (uint64_t)most * most * PAIR_BYTES > bytes)
        most /= 2;
    return most;
}

int build_read(struct builder *b, struct err *err)
{
    struct trace *t = b->m->trace;
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, t);
    c->values = false;
    b->cap = (uint32_t)(t->bytes.len / 4 < UINT32_MAX / 2 ? t->bytes.len / 4 : UINT32_MAX / 2);
    if ((t->head.flags & TRACE_CLOSED) && t->head.event_count < b->cap)
        b->cap = (uint32_t)t->head.event_count;
    if (t->events_max > 0 && t->events_max < b->cap)
        b->cap = (uint32_t)t->events_max;
    rows_resize(b, b->cap > 0 ? b->cap : 1);
    while ((item = trace_next_bare(c, &e, err)) > ITEM_END) {
        if (stop_signal()) {
            item = err_set(err, "stopped");
            break;
        }
        if (item == ITEM_EVENT && add_access(b, &e, c->number - 1))
            continue;
        if (item == ITEM_THREAD && c->thread_count > threads_most()) {
            c->thread_count--;
            t->events_max = c->number;
            break;
        }
        space_feed(b->m->space, c, item, &e);
        if (item == ITEM_THREAD && c->thread_count > b->thread_cap)
            threads_grow(b, c->thread_count);
        if (item != ITEM_EVENT)
            continue;
        if (ev_is_weak(e.kind) && !b->weak) {
            item = err_set(err, TRACE_WEAK_REFUSED);
            break;
        }
        if (c->number >= EVENTS_MAX || b->m->ev_count >= EVENTS_MAX) {
            item =
                err_set(err, "more than %u events: analyse a part (--from, --to)", EVENTS_MAX);
            break;
        }
        add_event(b, &e, c->number - 1);
    }
    b->m->trace_events = c->number;
    b->m->thread_count = c->thread_count;
    free(c);
    return item < 0 ? -1 : 0;
}
