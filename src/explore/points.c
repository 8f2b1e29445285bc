/* SPDX-License-Identifier: Apache-2.0
 *
 * points: a run as steps. The log of choices says who did each step and from which event on;
 * the trace says what was done. Objects are named by their order of birth, which is the same
 * in every run that began with the same choices.
 *
 * What is not understood conflicts with everything: that costs runs and loses nothing. */
#include "explore/stores.h"

#include "heddle/points.h"
#include "heddle/weak.h"

#include <string.h>

/* Objects that are no memory. */
#define OBJ_SYNC (1ULL << 63)
#define OBJ_OUTPUT (1ULL << 62)
#define OBJ_TIME (1ULL << 61)
#define OBJ_NONE (1ULL << 60)   /* in no known object: by address */
#define OBJ_SC (1ULL << 59)     /* weak: the order of seq_cst accesses of an object, */
#define OBJ_FENCES (1ULL << 58) /* and of fences among all of them */

enum { TOLD_STALE = 1, TOLD_EARLY = 2 };

struct thr_state {
    uint32_t created, exited; /* step, or NONE */
    const struct point_record *at;
    bool timed;       /* it waits for a limited time */
    uint64_t request; /* lock asked for and not obtained, or 0 */
};

struct barrier {
    uint64_t addr;
    uint32_t step; /* of the last arrival */
};

struct reader {
    struct explore_run run;
    const struct trace *trace;
    struct space *space;
    struct bytes log;
    uint64_t clock;
    bool is_weak;
    VEC(const struct point_record *) records;
    VEC(uint64_t) first; /* by step: its first event */
    VEC(struct thr_state) threads;
    VEC(struct barrier) barriers;
    uint32_t others;    /* threads that were made, and that nobody has joined */
    uint32_t real;      /* the step that is being done: the last one that is no choice */
    bool only_requests; /* so far, in this step */
    bool ended;         /* an event says that the program ended */
    struct stores stores;
    uint64_t number;       /* of the event */
    unsigned told;         /* of the access that comes next: it reads that event's store, */
    uint64_t stale, early; /* its own takes effect before that one's */
};

static struct explore_step *step_now(struct reader *d)
{
    return &d->run.steps.at[d->real];
}

static struct thr_state *thread_at(struct reader *d, uint32_t thr)
{
    while (d->threads.len <= thr)
        vec_push(&d->threads, (struct thr_state){NONE, NONE, NULL, false, 0});
    return &d->threads.at[thr];
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void add_access(struct reader *d, uint64_t obj, uint64_t lo, uint64_t len,
                       enum access_mode mode)
{
    struct explore_step *s = step_now(d);
    struct access a = {
        .obj = obj, .lo = lo, .hi = lo + len, .from = NONE, .mode = (uint8_t)mode};
    vec_push(&d->run.accesses, a);
    s->access_count++;
    s->what = hash_u64(s->what ^ hash_u64(obj + lo * 31) ^ (uint64_t)mode << 7);
}

static void add_memory(struct reader *d, uint64_t addr, uint64_t len, enum access_mode mode)
{
    obj_id id = space_find(d->space, addr);
    if (id == NONE)
        add_access(d, OBJ_NONE, addr, len, mode);
    else
        add_access(d, id, addr - space_object(d->space, id)->addr, len, mode);
}

static void add_sync(struct reader *d, uint64_t addr, enum access_mode mode)
{
    obj_id id = space_find(d->space, addr);
    if (id == NONE)
        add_access(d, OBJ_SYNC | OBJ_NONE, addr, 1, mode);
    else
        add_access(d, OBJ_SYNC | id, addr - space_object(d->space, id)->addr, 1, mode);
}

static void add_after(struct reader *d, uint32_t step)
{
    if (step == NONE || step == d->real)
        return;
    struct explore_step *s = step_now(d);
    if (s->after_count == 0)
        s->after = d->run.afters.len;
    vec_push(&d->run.afters, step);
    s->after_count++;
}

static uint32_t step_of_event(const struct reader *d, uint64_t number)
{
    for (uint32_t i = d->first.len; i-- > 0;)
        if (d->first.at[i] <= number && !(d->run.steps.at[i].flags & STEP_CHOICE))
            return i;
    return NONE;
}

static struct barrier *barrier_at(struct reader *d, uint64_t addr)
{
    for (uint32_t i = 0; i < d->barriers.len; i++)
        if (d->barriers.at[i].addr == addr)
            return &d->barriers.at[i];
    vec_push(&d->barriers, (struct barrier){addr, NONE});
    return &d->barriers.at[d->barriers.len - 1];
}

/* ---- events ------------------------------------------------------------------------------ */

static void see_lock(struct reader *d, const struct ev *e)
{
    struct thr_state *t = thread_at(d, e->thr);
    bool waits = !(e->flags & (FLAG(TRY) | FLAG(TIMED)));
    switch (e->kind) {
    case EV_REQUEST:
        t->request = e->addr;
        break;
    case EV_ACQUIRE:
    case EV_SEM_WAIT:
        if (t->request == e->addr)
            t->request = 0;
        if (e->kind == EV_SEM_WAIT || e->number == 1)
            add_sync(d, e->addr, waits ? ACCESS_TAKE : ACCESS_WRITE);
        break;
    case EV_RELEASE:
        if (e->number == 0)
            add_sync(d, e->addr, ACCESS_GIVE);
        break;
    case EV_SEM_POST:
        add_sync(d, e->addr, e->number == 1 ? ACCESS_GIVE : ACCESS_WRITE);
        break;
    case EV_ONCE_ENTER:
    case EV_ONCE_PASS:
        t->request = 0;
        add_sync(d, e->addr, ACCESS_TAKE);
        break;
    case EV_ONCE_LEAVE:
        add_sync(d, e->addr, ACCESS_GIVE);
        break;
    default: /* refused, timeout */
        t->request = 0;
        add_sync(d, e->addr, e->kind == EV_REFUSED ? ACCESS_READ : ACCESS_WRITE);
    }
}

static void see_wait(struct reader *d, const struct ev *e)
{
    switch (e->kind) {
    case EV_WAIT_LEAVE:
    case EV_FUTEX_WAIT: /* compares with the newest store */
        d->run.leaves_out |= e->kind == EV_FUTEX_WAIT;
        thread_at(d, e->thr)->request = 0;
        if (e->ref != NO_EVENT)
            add_after(d, step_of_event(d, e->ref));
        if (e->kind == EV_FUTEX_WAIT)
            add_sync(d, e->addr, ACCESS_WRITE);
        break;
    case EV_ARRIVE:
        barrier_at(d, e->addr)->step = d->real;
        add_sync(d, e->addr, ACCESS_WRITE);
        break;
    case EV_DEPART:
        add_after(d, barrier_at(d, e->addr)->step);
        break;
    default: /* wait-enter, signal, broadcast, futex-wake, init, destroy */
        add_sync(d, e->addr, ACCESS_WRITE);
    }
}

static void see_thread(struct reader *d, const struct ev *e)
{
    switch (e->kind) {
    case EV_CREATE:
        thread_at(d, e->peer)->created = d->real;
        d->others++;
        break;
    case EV_START:
        add_after(d, thread_at(d, e->thr)->created);
        break;
    case EV_EXIT:
        thread_at(d, e->thr)->exited = d->real;
        break;
    case EV_JOIN:
        add_after(d, thread_at(d, e->peer)->exited);
        d->others -= d->others > 0;
        break;
    default:
        step_now(d)->flags |= STEP_OPAQUE;
    }
}

/* Two seq_cst accesses of an object do not commute, nor does one with a fence. Whether a
 * compare-exchange is one can depend on which store it meets. */
static void see_order(struct reader *d, const struct ev *e)
{
    uint64_t sc = WORD_VALUE(ORDER, SEQ_CST);
    d->run.has_sc |= d->others > 0 && e->kind != EV_FENCE && e->order == sc;
    d->run.has_weaker |= d->others > 0 && e->kind != EV_FENCE && e->order != sc;
    if (e->kind == EV_FENCE && e->order == sc)
        add_access(d, OBJ_FENCES, 0, 1, ACCESS_WRITE);
    if (e->kind == EV_FENCE || (e->kind != EV_CAS && e->order != sc))
        return;
    obj_id id = space_find(d->space, e->addr);
    uint64_t at = id == NONE ? e->addr : e->addr - space_object(d->space, id)->addr;
    add_access(d, OBJ_FENCES, 0, 1, ACCESS_READ);
    add_access(d, OBJ_SC | (id == NONE ? OBJ_NONE : id), at, e->size, ACCESS_WRITE);
}

/* What the access that was just added reads and stores. */
static void see_weak(struct reader *d, const struct ev *e)
{
    struct access *a = &d->run.accesses.at[d->run.accesses.len - 1];
    bool failed = e->kind == EV_CAS && (e->flags & FLAG(FAILED));
    bool reads = e->kind != EV_ATOMIC_STORE, writes = e->kind != EV_ATOMIC_LOAD && !failed;
    uint32_t from = NONE;
    if (e->size == 0 || e->size > 8 || e->addr & (e->size - 1u))
        return; /* takes turns */
    if (reads) {
        from = stores_read(&d->stores, e->addr, d->told & TOLD_STALE ? &d->stale : NULL);
        a->from = d->stores.all.at[from].step;
    }
    if (writes)
        stores_add(&d->stores, e->addr, d->number, d->real, from,
                   d->told & TOLD_EARLY ? &d->early : NULL);
    a->weak = e->kind == EV_ATOMIC_LOAD    ? WEAK_LOAD
              : e->kind == EV_ATOMIC_STORE ? WEAK_STORE
                                           : WEAK_CHANGE;
}

static void see_memory(struct reader *d, const struct ev *e)
{
    bool is_range = !ev_is_scalar(e->kind);
    bool is_plain = is_range || e->kind == EV_READ || e->kind == EV_WRITE;
    bool reads = e->kind == EV_READ || e->kind == EV_ATOMIC_LOAD || e->kind == EV_READ_RANGE ||
                 (e->kind == EV_CAS && (e->flags & FLAG(FAILED)) && !d->is_weak);
    if (d->is_weak && !is_plain)
        see_order(d, e);
    add_memory(d, e->addr, is_range ? e->len : e->size, reads ? ACCESS_READ : ACCESS_WRITE);
    d->run.accesses.at[d->run.accesses.len - 1].is_plain = is_plain;
    if (d->is_weak && !is_plain)
        see_weak(d, e);
    d->told = 0;
}

static void see_block_end(struct reader *d, const struct ev *e)
{
    obj_id id = space_find(d->space, e->addr);
    uint64_t size = id == NONE ? 1 : space_object(d->space, id)->size;
    add_memory(d, e->addr, size ? size : 1, ACCESS_WRITE);
    d->run.accesses.at[d->run.accesses.len - 1].is_plain = true;
}

/* The same in every run of the program. */
static uint64_t place_of(const struct reader *d, const struct ev *e)
{
    if (e->site >= d->trace->sites.len)
        return 0;
    const struct def_site *s = &d->trace->sites.at[e->site];
    uint64_t h = hash_bytes(s->file.at, s->file.len) ^ hash_u64(s->unit * 31 + s->ordinal);
    return hash_u64(h + e->kind) + hash_u64((uint64_t)s->line << 20 | s->column);
}

static void see_event(struct reader *d, const struct ev *e)
{
    if (step_now(d)->place == 0)
        step_now(d)->place = place_of(d, e);
    d->only_requests &= e->kind == EV_REQUEST;
    step_now(d)->what = hash_u64(step_now(d)->what + e->kind);
    switch (e->kind) {
    case EV_BRANCH:
    case EV_ENTER:
    case EV_LEAVE:
    case EV_ALLOC:
    case EV_STACK_ENTER:
    case EV_MARK:
    case EV_DETACH:
        break;
    case EV_STALE:
        d->told |= TOLD_STALE;
        d->stale = e->ref;
        break;
    case EV_EARLY:
        d->told |= TOLD_EARLY;
        d->early = e->ref;
        break;
    case EV_FENCE:
        if (d->is_weak)
            see_order(d, e);
        break;
    case EV_FREE:
    case EV_STACK_LEAVE:
        see_block_end(d, e);
        break;
    case EV_REQUEST:
    case EV_ACQUIRE:
    case EV_RELEASE:
    case EV_REFUSED:
    case EV_TIMEOUT:
    case EV_SEM_POST:
    case EV_SEM_WAIT:
    case EV_ONCE_ENTER:
    case EV_ONCE_LEAVE:
    case EV_ONCE_PASS:
        see_lock(d, e);
        break;
    case EV_INIT:
    case EV_DESTROY:
    case EV_WAIT_ENTER:
    case EV_WAIT_LEAVE:
    case EV_SIGNAL:
    case EV_BROADCAST:
    case EV_ARRIVE:
    case EV_DEPART:
    case EV_FUTEX_WAIT:
    case EV_FUTEX_WAKE:
        see_wait(d, e);
        break;
    case EV_OUTPUT:
        add_access(d, OBJ_OUTPUT, e->number, 1, ACCESS_WRITE);
        break;
    case EV_END_EXIT:
    case EV_END_ASSERT:
    case EV_END_SIGNAL:
        d->ended = true;
        step_now(d)->flags |= STEP_OPAQUE;
        break;
    default:
        if (ev_acts_on(e->kind) == ON_MEMORY)
            see_memory(d, e);
        else
            see_thread(d, e);
    }
}

/* ---- steps ------------------------------------------------------------------------------- */

static const uint32_t *options_of(const struct point_record *r)
{
    return (const uint32_t *)(const void *)(r + 1);
}

/* What became of the one who had run, and the timer it set, if any, in its last step. */
static void note_from(struct reader *d, const struct point_record *r)
{
    struct thr_state *from = thread_at(d, r->from);
    from->at = r->flags & POINT_AT ? r : NULL;
    from->timed = r->flags & POINT_TIMED;
    if (from->timed && d->run.steps.len > 0)
        add_access(d, OBJ_TIME, 0, 1, ACCESS_WRITE);
}

static void begin_step(struct reader *d, uint32_t index)
{
    const struct point_record *r = d->records.at[index];
    bool is_choice = r->flags & POINT_CHOICE;
    if (!is_choice)
        note_from(d, r);
    struct explore_step s = {.thr = r->thr,
                             .flags = is_choice ? (uint32_t)STEP_CHOICE : 0,
                             .access = d->run.accesses.len,
                             .option = d->run.options.len,
                             .option_count = r->option_count,
                             .from = r->from};
    s.flags |= r->flags & POINT_AT ? (uint32_t)STEP_GOES_ON : 0;
    for (uint32_t i = 0; i < r->option_count; i++)
        vec_push(&d->run.options, options_of(r)[i]);
    vec_push(&d->run.steps, s);
    vec_push(&d->first, r->event);
    if (is_choice)
        return;
    struct thr_state *t = thread_at(d, r->thr);
    d->real = index;
    d->only_requests = true;
    if (r->flags & POINT_TIMEOUT || (t->at && t->at->addr == d->clock))
        add_access(d, OBJ_TIME, 0, 1, ACCESS_WRITE);
    else if (t->timed)
        step_now(d)->flags |= STEP_ENDS_WAIT;
    t->timed = false;
}

/* What a thread did without an event at its point: nobody knows. */
static void end_step(struct reader *d, uint64_t events)
{
    struct explore_step *s = step_now(d);
    struct thr_state *t = thread_at(d, s->thr);
    bool watched = t->at && (t->at->flags & POINT_WATCH) && t->at->addr != d->clock;
    if (watched && events == 0)
        s->flags |= STEP_OPAQUE;
    if (events > 0 && d->only_requests && t->request)
        add_sync(d, t->request, ACCESS_WRITE);
    t->at = NULL;
}

static int read_trace(struct reader *d, const char *path, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open(&t, path, err) < 0)
        return -1;
    d->trace = &t;
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    uint32_t next = 0;
    uint64_t begun = 0;
    int item;
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        space_feed(d->space, c, item, &e);
        if (item != ITEM_EVENT)
            continue;
        uint64_t number = c->number - 1;
        for (; next < d->records.len && d->records.at[next]->event <= number; next++) {
            bool is_choice = d->records.at[next]->flags & POINT_CHOICE;
            if (next > 0 && !is_choice)
                end_step(d, d->records.at[next]->event - begun);
            begun = is_choice ? begun : d->records.at[next]->event;
            begin_step(d, next);
        }
        d->number = number;
        if (next > 0)
            see_event(d, &e);
    }
    for (; item == ITEM_END && next < d->records.len; next++) {
        if (next > 0 && !(d->records.at[next]->flags & POINT_CHOICE))
            end_step(d, c->number - begun);
        begun = c->number;
        begin_step(d, next);
    }
    if (d->run.steps.len > 0)
        end_step(d, c->number - begun);
    free(c);
    return item;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void add_pending(struct reader *d, uint32_t thr)
{
    struct thr_state *t = thread_at(d, thr);
    const struct point_record *r = t->at;
    struct explore_step s = {.thr = thr, .access = d->run.accesses.len};
    vec_push(&d->run.steps, s); /* the helpers write to the last real step */
    d->real = d->run.steps.len - 1;
    if (t->request)
        add_sync(d, t->request, ACCESS_TAKE);
    else if (r && r->len > 0)
        add_memory(d, r->addr, r->len,
                   r->from_kind == EV_READ || r->from_kind == EV_READ_RANGE ? ACCESS_READ
                                                                            : ACCESS_WRITE);
    else if (r && r->addr && (r->flags & POINT_WAITS))
        add_sync(d, r->addr, ACCESS_TAKE);
    else if (r && r->addr && !(r->flags & POINT_WATCH))
        add_sync(d, r->addr, ACCESS_WRITE);
    else
        step_now(d)->flags |= STEP_OPAQUE;
    s = *step_now(d);
    d->run.steps.len--;
    vec_push(&d->run.pending, s);
}

/* Steps at the end that only asked for what they could not have: nobody could run. */
static void cut_requests(struct reader *d)
{
    while (d->run.steps.len > 1) {
        const struct explore_step *s = &d->run.steps.at[d->run.steps.len - 1];
        if (s->option_count > 0 || s->flags & STEP_CHOICE)
            break;
        d->run.steps.len--;
    }
}

static void find_pending(struct reader *d)
{
    cut_requests(d);
    if (d->run.steps.len == 0)
        return;
    struct explore_step last = d->run.steps.at[d->run.steps.len - 1];
    for (uint32_t thr = 0; thr < d->threads.len; thr++) {
        struct thr_state *t = &d->threads.at[thr];
        bool could = false;
        for (uint32_t i = 0; i < last.option_count; i++)
            could |= d->run.options.at[last.option + i] == thr;
        bool waits = t->request || (t->at && (t->at->flags & POINT_WAITS));
        if (t->exited == NONE && (waits || (could && d->ended && thr != last.thr)))
            add_pending(d, thr);
    }
}

static int read_log(struct reader *d, const char *path, struct err *err)
{
    if (bytes_read(&d->log, path, err) < 0)
        return -1;
    const struct points_head *head = (const void *)d->log.at;
    if (d->log.len < sizeof *head || head->magic != POINTS_MAGIC ||
        head->used_bytes > d->log.len)
        return err_set(err, "%s: not a log of choices", path);
    d->clock = head->clock;
    d->is_weak = head->weak;
    d->run.leaves_out = head->weak == WEAK_X86 || head->left_out;
    for (uint64_t at = sizeof *head; at + sizeof(struct point_record) <= head->used_bytes;) {
        const struct point_record *r = (const void *)(d->log.at + at);
        at += sizeof *r + (r->option_count * sizeof(uint32_t) + 7) / 8 * 8;
        if (at > head->used_bytes)
            return err_set(err, "%s: damaged", path);
        vec_push(&d->records, r);
    }
    return 0;
}

int explore_read(struct explore_run *out, const char *directory, struct err *err)
{
    AUTO(str) struct str log = {0};
    AUTO(str) struct str trace = {0};
    struct reader d = {.space = space_new()};
    str_add(&log, "%s/points", directory);
    str_add(&trace, "%s/trace", directory);
    int result = read_log(&d, log.at, err);
    if (result == 0)
        result = read_trace(&d, trace.at, err);
    if (result == 0)
        find_pending(&d);
    if (result == 0)
        stores_hash(&d.stores, &d.run);
    stores_done(&d.stores);
    space_free(d.space);
    bytes_done(&d.log);
    vec_done(&d.records);
    vec_done(&d.first);
    vec_done(&d.threads);
    vec_done(&d.barriers);
    if (result < 0)
        explore_run_done(&d.run);
    else
        *out = d.run;
    return result;
}
