/* SPDX-License-Identifier: Apache-2.0
 *
 * chrome: a trace as a timeline in Chrome's JSON trace format, which Perfetto opens.
 *
 * A trace has no time but its order: event n takes the microsecond from n to n + 1. All
 * slices are complete ones (ph X), written when their end is known: Perfetto wants the slices
 * of a track nested, and with B and E one function left by longjmp would shift everything
 * behind it. Calls and waits nest by nature and share the thread's own track. Lock sections
 * need not nest (hand-over-hand locking), and Perfetto drops a slice that crosses another; so
 * they stand on tracks of their own below the thread, a further one whenever a section would
 * cross one that is already there. An arrow binds to the slice around its end (bp e) and is
 * lost without one: that is why a sync event is a slice of one microsecond, not an instant. */
#include "trace/trace.h"

#include "base/json.h"
#include "base/search.h"

enum {
    SINK_BYTES = 64 << 10,
    PROCESS = 1,
    LANES_MAX = 4096, /* tracks of one thread: its own and those of its locks */
};

/* A place in a thread that an arrow may start from. */
struct source {
    uint64_t number;
    uint32_t thr;
    uint32_t next; /* in the queue of a semaphore, or NONE */
};

/* A slice of a thread's own track whose end has not come. */
struct pending {
    uint64_t start, addr;
    uint32_t site;
    uint8_t kind; /* of the event that began it */
};

struct section {
    uint64_t start, addr;
    uint32_t site;
    bool shared;
};

struct extent {
    uint64_t start, end;
};

/* Sections on it, without those inside of others; they do not overlap. */
struct lane {
    VEC(struct extent) outermost;
};

/* A wait that an imported trace tells in one event. If the thread has just released a lock,
 * its next acquire of it ends the wait. Otherwise the wait releases the lock taken last, and
 * takes it again right before the thread's next event; the model reads it in the same way. */
struct whole_wait {
    enum { WAIT_NONE, WAIT_FOR_ACQUIRE, WAIT_FOR_NEXT } until;
    uint64_t lock, cond;
    bool shared;
};

/* A wait under way in an imported trace, which does not say who woke whom: the longest waiting
 * thread is woken, as in the model. */
struct waiter {
    uint64_t cond; /* object_key */
    uint32_t thr;
    uint32_t waker; /* in sources, or NONE */
};

struct track {
    VEC(struct pending) stack;
    VEC(struct section) held;
    VEC(struct lane) lanes;
    struct whole_wait wait;
    uint64_t released;    /* the lock that its last event but branches released */
    bool just_released;   /* there is one */
    uint64_t woken;       /* number of the event before which it was, or 0 */
    uint64_t last;        /* number of its last event, NO_EVENT: none yet */
    bool last_is_slice;   /* that event can be seen */
    struct source create; /* number NO_EVENT: not created here */
};

struct chrome {
    struct trace *t;                   /* borrowed */
    const struct trace_filter *filter; /* borrowed */
    struct trace_cursor *cursor;       /* owned */
    struct space *space;               /* owned */
    struct str out, name;
    struct json json;
    VEC(struct track) tracks;    /* by thread */
    VEC(bool) is_wanted;         /* by thread */
    VEC(struct source) sources;  /* what the maps and queues below point to */
    VEC(uint32_t) wakers;        /* signals and the like, in order of their numbers */
    VEC(struct waiter) waiters;  /* imported traces: in order of their waits */
    struct map releases;         /* lock -> its last release */
    struct map posts, last_post; /* semaphore -> first and last post not yet taken */
    uint64_t arrow_count;
};

static void auto_chrome(struct chrome *w)
{
    free(w->cursor);
    space_free(w->space);
    str_done(&w->out);
    str_done(&w->name);
    for (uint32_t i = 0; i < w->tracks.len; i++) {
        struct track *t = &w->tracks.at[i];
        for (uint32_t k = 0; k < t->lanes.len; k++)
            vec_done(&t->lanes.at[k].outermost);
        vec_done(&t->lanes);
        vec_done(&t->held);
        vec_done(&t->stack);
    }
    vec_done(&w->tracks);
    vec_done(&w->is_wanted);
    vec_done(&w->sources);
    vec_done(&w->wakers);
    vec_done(&w->waiters);
    map_done(&w->releases);
    map_done(&w->posts);
    map_done(&w->last_post);
}

/* ---- records of the output --------------------------------------------------------------- */

static void put_text(struct chrome *w, const char *key, const char *value)
{
    json_key(&w->json, key);
    json_text(&w->json, text_of(value));
}

static void put_number(struct chrome *w, const char *key, uint64_t value)
{
    json_key(&w->json, key);
    json_u64(&w->json, value);
}

/* In the middle of an event's microsecond. */
static void put_middle(struct chrome *w, const char *key, uint64_t number)
{
    put_number(w, key, number);
    str_add(&w->out, ".5");
}

/* Tracks count from LANES_MAX: Perfetto takes thread 0 for the idle task of the kernel. */
static uint64_t track_number(uint32_t thr, uint32_t lane)
{
    return (uint64_t)(thr + 1) * LANES_MAX + lane;
}

static void open_record(struct chrome *w, const char *phase, uint32_t thr, uint32_t lane)
{
    json_open(&w->json, '{');
    put_text(w, "ph", phase);
    put_number(w, "pid", PROCESS);
    put_number(w, "tid", track_number(thr, lane));
}

static void close_record(struct chrome *w)
{
    json_close(&w->json, '}');
    str_char(&w->out, '\n');
}

/* The name for people of what is in w->name. */
static void put_name(struct chrome *w)
{
    json_key(&w->json, "name");
    json_text(&w->json, (struct text){w->name.at, (uint32_t)w->name.len});
}

static void put_site(struct chrome *w, uint32_t site)
{
    AUTO(str) struct str name = {0};
    site_name(&name, &w->t->sites.at[site]);
    json_key(&w->json, "site");
    json_text(&w->json, str_text(&name));
}

static void put_metadata(struct chrome *w, uint32_t thr, uint32_t lane)
{
    w->name.len = 0;
    thread_name(&w->name, w->t, thr);
    if (lane > 0)
        str_add(&w->name, lane == 1 ? ": locks" : ": locks %u", lane);
    open_record(w, "M", thr, lane);
    put_text(w, "name", "thread_name");
    json_key(&w->json, "args");
    json_open(&w->json, '{');
    put_name(w);
    json_close(&w->json, '}');
    close_record(w);
    open_record(w, "M", thr, lane);
    put_text(w, "name", "thread_sort_index");
    json_key(&w->json, "args");
    json_open(&w->json, '{');
    put_number(w, "sort_index", track_number(thr, lane));
    json_close(&w->json, '}');
    close_record(w);
}

/* Is any of it to be seen? Then it is shown from its true beginning: slices cut to the same
 * beginning would not tell which is inside of which. */
static bool is_seen(const struct chrome *w, uint32_t thr, uint64_t end)
{
    return end > w->filter->from && w->is_wanted.at[thr];
}

/* A slice called w->name. */
static void put_slice(struct chrome *w, uint32_t thr, uint32_t lane, struct extent x,
                      uint32_t site, bool ended)
{
    if (!is_seen(w, thr, x.end))
        return;
    open_record(w, "X", thr, lane);
    put_number(w, "ts", x.start);
    put_number(w, "dur", x.end - x.start);
    put_name(w);
    json_key(&w->json, "args");
    json_open(&w->json, '{');
    put_site(w, site);
    if (!ended)
        put_text(w, "end", "not seen");
    json_close(&w->json, '}');
    close_record(w);
}

static void put_instant(struct chrome *w, const struct ev *e, uint64_t number)
{
    if (!is_seen(w, e->thr, number + 1))
        return;
    open_record(w, "i", e->thr, 0);
    put_text(w, "s", "t");
    put_middle(w, "ts", number);
    put_name(w);
    json_key(&w->json, "args");
    json_open(&w->json, '{');
    put_site(w, e->site);
    if (ev_is_scalar(e->kind) && w->t->head.flags & TRACE_VALUES)
        put_number(w, "value", e->value);
    json_close(&w->json, '}');
    close_record(w);
}

static void put_arrow_end(struct chrome *w, const char *phase, const char *name,
                          struct source at)
{
    open_record(w, phase, at.thr, 0);
    put_text(w, "cat", "hand-over");
    put_text(w, "name", name);
    put_number(w, "id", w->arrow_count);
    put_middle(w, "ts", at.number);
    put_text(w, "bp", "e");
    close_record(w);
}

static void put_arrow(struct chrome *w, const char *name, struct source from, uint32_t thr,
                      uint64_t number)
{
    if (from.thr == thr || from.number < w->filter->from || !w->is_wanted.at[from.thr] ||
        !w->is_wanted.at[thr])
        return;
    w->arrow_count++;
    put_arrow_end(w, "s", name, from);
    put_arrow_end(w, "f", name, (struct source){.number = number, .thr = thr});
}

/* ---- names ------------------------------------------------------------------------------- */

static void name_with_addr(struct chrome *w, const char *word, uint64_t addr)
{
    w->name.len = 0;
    str_add(&w->name, "%s ", word);
    addr_name_long(&w->name, w->t, w->space, addr);
}

static void name_event(struct chrome *w, const struct ev *e)
{
    const char *fields = ev_fields(e->kind);
    w->name.len = 0;
    str_add(&w->name, "%s", ev_text(e->kind));
    if (e->kind == EV_MARK)
        str_add(&w->name, " %s", word_text(MARK_FIRST, e->word));
    if (fields[0] == 'T') {
        str_char(&w->name, ' ');
        thread_name(&w->name, w->t, e->peer);
    }
    if (fields[0] == 'S')
        str_add(&w->name, " %.*s", (int)e->text_len, e->text);
    if (e->kind == EV_END_EXIT || e->kind == EV_END_SIGNAL)
        str_add(&w->name, " %llu", (unsigned long long)e->number);
    if (fields[0] != 'A')
        return;
    str_char(&w->name, ' ');
    addr_name_long(&w->name, w->t, w->space, e->addr);
}

static void name_pending(struct chrome *w, const struct pending *p)
{
    const struct def_text *function = &w->t->sites.at[p->site].function;
    w->name.len = 0;
    switch (p->kind) {
    case EV_ENTER:
        if (function->len > 0)
            str_bytes(&w->name, function->at, function->len);
        else
            str_add(&w->name, "function");
        return;
    case EV_HANDLER_ENTER:
        str_add(&w->name, "signal handler");
        return;
    case EV_WAIT_ENTER:
    case EV_WAIT:
        name_with_addr(w, "wait", p->addr);
        return;
    case EV_ARRIVE:
        name_with_addr(w, "barrier", p->addr);
        return;
    case EV_ONCE_ENTER:
        name_with_addr(w, "once", p->addr);
        return;
    default:
        name_with_addr(w, "ask for", p->addr);
        return;
    }
}

/* ---- slices of a thread's own track ------------------------------------------------------ */

static void end_pending(struct chrome *w, uint32_t thr, uint64_t end, bool ended)
{
    struct track *t = &w->tracks.at[thr];
    struct pending p = t->stack.at[--t->stack.len];
    name_pending(w, &p);
    put_slice(w, thr, 0, (struct extent){p.start, end}, p.site, ended);
}

/* Ends the innermost slice that such an event began, and what is open inside of it. */
static void end_slice(struct chrome *w, uint32_t thr, uint8_t kind, uint64_t addr, uint64_t end)
{
    struct track *t = &w->tracks.at[thr];
    bool has_addr = kind != EV_ENTER && kind != EV_HANDLER_ENTER;
    uint32_t i = t->stack.len;
    while (i > 0 &&
           !(t->stack.at[i - 1].kind == kind && (!has_addr || t->stack.at[i - 1].addr == addr)))
        i--;
    if (i == 0)
        return;
    while (t->stack.len > i)
        end_pending(w, thr, end, false);
    end_pending(w, thr, end, true);
}

static void end_of(struct chrome *w, const struct ev *e, uint8_t kind, uint64_t end)
{
    end_slice(w, e->thr, kind, e->addr, end);
}

static void begin(struct chrome *w, const struct ev *e, uint64_t number)
{
    vec_push(
        &w->tracks.at[e->thr].stack,
        (struct pending){.start = number, .addr = e->addr, .site = e->site, .kind = e->kind});
}

static bool begins_slice(unsigned kind)
{
    return kind == EV_ENTER || kind == EV_HANDLER_ENTER || kind == EV_WAIT_ENTER ||
           kind == EV_ARRIVE || kind == EV_ONCE_ENTER || kind == EV_REQUEST;
}

/* What an event begins or ends on its thread's track. A request ends before the event that
 * answers it, everything else with its last event. */
static void nest(struct chrome *w, const struct ev *e, uint64_t number)
{
    if (begins_slice(e->kind))
        begin(w, e, number);
    switch (e->kind) {
    case EV_LEAVE:
        end_of(w, e, EV_ENTER, number + 1);
        return;
    case EV_HANDLER_LEAVE:
        end_of(w, e, EV_HANDLER_ENTER, number + 1);
        return;
    case EV_WAIT_LEAVE:
        end_of(w, e, EV_WAIT_ENTER, number + 1);
        return;
    case EV_DEPART:
        end_of(w, e, EV_ARRIVE, number + 1);
        return;
    case EV_ONCE_LEAVE:
        end_of(w, e, EV_ONCE_ENTER, number + 1);
        return;
    case EV_ACQUIRE:
    case EV_SEM_WAIT:
    case EV_REFUSED:
    case EV_TIMEOUT:
        end_of(w, e, EV_REQUEST, number);
        return;
    default:
        return;
    }
}

/* ---- lock sections ----------------------------------------------------------------------- */

/* Takes x if it crosses nothing that is there and nothing begins with it (a wait may take its
 * lock again where the next one is taken). Sections come in the order of their ends. */
static bool lane_takes(struct lane *l, struct extent x)
{
    uint32_t len = l->outermost.len;
    while (len > 0 && l->outermost.at[len - 1].start > x.start)
        len--;
    if (len > 0 && l->outermost.at[len - 1].end > x.start)
        return false;
    l->outermost.len = len;
    vec_push(&l->outermost, x);
    return true;
}

static uint32_t find_lane(struct chrome *w, uint32_t thr, struct extent x)
{
    struct track *t = &w->tracks.at[thr];
    for (uint32_t i = 0; i < t->lanes.len; i++)
        if (lane_takes(&t->lanes.at[i], x))
            return i + 1;
    if (t->lanes.len == LANES_MAX - 1)
        return LANES_MAX - 1; /* nobody could look at so many */
    vec_push(&t->lanes, (struct lane){0});
    lane_takes(&t->lanes.at[t->lanes.len - 1], x);
    if (w->is_wanted.at[thr])
        put_metadata(w, thr, t->lanes.len);
    return t->lanes.len;
}

static void end_section(struct chrome *w, uint32_t thr, uint32_t i, uint64_t end, bool ended)
{
    struct track *t = &w->tracks.at[thr];
    struct section s = t->held.at[i];
    t->held.len--;
    memmove(&t->held.at[i], &t->held.at[i + 1], (t->held.len - i) * sizeof s);
    struct extent x = {s.start, end};
    if (x.start == x.end)
        return; /* taken at the end of a wait, right before its release */
    uint32_t lane = find_lane(w, thr, x);
    w->name.len = 0;
    addr_name_long(&w->name, w->t, w->space, s.addr);
    if (s.shared)
        str_add(&w->name, " (shared)");
    put_slice(w, thr, lane, x, s.site, ended);
}

static uint32_t find_section(const struct track *t, uint64_t addr)
{
    uint32_t i = t->held.len;
    while (i > 0 && t->held.at[i - 1].addr != addr)
        i--;
    return i > 0 ? i - 1 : NONE;
}

static void hold(struct chrome *w, const struct ev *e, uint64_t number)
{
    struct track *t = &w->tracks.at[e->thr];
    uint32_t i = find_section(t, e->addr);
    if (e->kind == EV_ACQUIRE && i == NONE)
        vec_push(&t->held,
                 (struct section){number, e->addr, e->site, (e->flags & FLAG(SHARED)) != 0});
    if (e->kind == EV_RELEASE && i != NONE && e->number == 0)
        end_section(w, e->thr, i, number, true);
}

/* ---- hand-overs -------------------------------------------------------------------------- */

static uint32_t add_source(struct chrome *w, const struct ev *e, uint64_t number)
{
    vec_push(&w->sources, (struct source){number, e->thr, NONE});
    return w->sources.len - 1;
}

/* Memory that is used again is another lock. */
static uint64_t object_key(const struct chrome *w, uint64_t addr)
{
    obj_id id = space_find(w->space, addr);
    return id == NONE ? addr : hash_u64(addr) ^ (uint64_t)(id + 1) << 32;
}

static void hand_over_release(struct chrome *w, const struct ev *e, uint64_t lock,
                              uint64_t number)
{
    *map_at(&w->releases, object_key(w, lock)) = add_source(w, e, number);
}

static void hand_over_lock(struct chrome *w, uint32_t thr, uint64_t lock, bool shared,
                           uint64_t number)
{
    uint64_t key = object_key(w, lock);
    uint32_t from = map_find(&w->releases, key);
    if (from == NONE)
        return;
    put_arrow(w, "lock", w->sources.at[from], thr, number);
    if (!shared)
        map_remove(&w->releases, key);
}

/* Posts are taken in their order. */
static void hand_over_count(struct chrome *w, const struct ev *e, uint64_t number)
{
    uint64_t key = object_key(w, e->addr);
    uint32_t first = map_find(&w->posts, key);
    if (e->kind == EV_SEM_POST) {
        uint32_t added = add_source(w, e, number);
        if (first == NONE)
            *map_at(&w->posts, key) = added;
        else
            w->sources.at[map_find(&w->last_post, key)].next = added;
        *map_at(&w->last_post, key) = added;
        return;
    }
    if (first == NONE)
        return;
    put_arrow(w, "semaphore", w->sources.at[first], e->thr, number);
    if (w->sources.at[first].next == NONE)
        map_remove(&w->posts, key);
    else
        *map_at(&w->posts, key) = w->sources.at[first].next;
}

/* The signal that the trace names. */
static void hand_over_wake(struct chrome *w, const struct ev *e, uint64_t number)
{
    uint32_t low = SEARCH(i, 0, w->wakers.len, w->sources.at[w->wakers.at[i]].number < e->ref);
    if (low < w->wakers.len && w->sources.at[w->wakers.at[low]].number == e->ref)
        put_arrow(w, "wake", w->sources.at[w->wakers.at[low]], e->thr, number);
}

static void begin_waiting(struct chrome *w, const struct ev *e)
{
    if (w->t->head.flags & TRACE_IMPORTED)
        vec_push(&w->waiters, (struct waiter){object_key(w, e->addr), e->thr, NONE});
}

/* The thread's wait is over: who woke it, or NONE. */
static uint32_t end_waiting(struct chrome *w, uint32_t thr, uint64_t cond)
{
    uint64_t key = object_key(w, cond);
    for (uint32_t i = 0; i < w->waiters.len; i++) {
        struct waiter *at = &w->waiters.at[i];
        if (at->thr != thr || at->cond != key)
            continue;
        uint32_t waker = at->waker;
        w->waiters.len--;
        memmove(at, at + 1, (w->waiters.len - i) * sizeof *at);
        return waker;
    }
    return NONE;
}

static void hand_over_waiter(struct chrome *w, uint32_t thr, uint64_t cond, uint64_t number)
{
    uint32_t waker = end_waiting(w, thr, cond);
    if (waker != NONE)
        put_arrow(w, "wake", w->sources.at[waker], thr, number);
}

static void wake(struct chrome *w, const struct ev *e, uint64_t number)
{
    uint64_t key = object_key(w, e->addr);
    uint32_t source = add_source(w, e, number);
    vec_push(&w->wakers, source);
    for (uint32_t i = 0; i < w->waiters.len; i++) {
        struct waiter *at = &w->waiters.at[i];
        if (at->cond != key || at->waker != NONE)
            continue;
        at->waker = source;
        if (e->kind != EV_BROADCAST)
            return;
    }
}

/* A thread's end has a slice, whatever its last event was. */
static void hand_over_end(struct chrome *w, const struct ev *e, uint64_t number)
{
    struct track *t = &w->tracks.at[e->peer];
    if (t->last == NO_EVENT)
        return;
    if (!t->last_is_slice) {
        w->name.len = 0;
        str_add(&w->name, "end");
        put_slice(w, e->peer, 0, (struct extent){t->last, t->last + 1}, e->site, true);
        t->last_is_slice = true;
    }
    put_arrow(w, "join", (struct source){.number = t->last, .thr = e->peer}, e->thr, number);
}

static void hand_over(struct chrome *w, const struct ev *e, uint64_t number)
{
    switch (e->kind) {
    case EV_RELEASE:
        hand_over_release(w, e, e->addr, number);
        return;
    case EV_ACQUIRE:
        hand_over_lock(w, e->thr, e->addr, e->flags & FLAG(SHARED), number);
        return;
    case EV_SEM_POST:
    case EV_SEM_WAIT:
        hand_over_count(w, e, number);
        return;
    case EV_SIGNAL:
    case EV_BROADCAST:
    case EV_FUTEX_WAKE:
        wake(w, e, number);
        return;
    case EV_WAIT_ENTER:
        begin_waiting(w, e);
        return;
    case EV_WAIT_LEAVE:
        hand_over_waiter(w, e->thr, e->addr, number);
        hand_over_wake(w, e, number);
        return;
    case EV_FUTEX_WAIT:
        hand_over_wake(w, e, number);
        return;
    case EV_CREATE:
        w->tracks.at[e->peer].create = (struct source){.number = number, .thr = e->thr};
        return;
    case EV_JOIN:
        hand_over_end(w, e, number);
        return;
    default:
        return;
    }
}

/* ---- events ------------------------------------------------------------------------------ */

enum look { LOOK_NONE, LOOK_SLICE, LOOK_INSTANT, LOOK_ACCESS };

/* What an event looks like besides what it begins or ends. */
static enum look look_of(unsigned kind)
{
    switch (kind) {
    case EV_DEPART:
    case EV_ONCE_LEAVE:
        return LOOK_NONE; /* they end a slice */
    case EV_CREATE:
    case EV_START:
    case EV_EXIT:
    case EV_JOIN:
    case EV_DETACH:
    case EV_CANCEL:
    case EV_FENCE:
        return LOOK_SLICE;
    case EV_MARK:
    case EV_END_EXIT:
    case EV_END_ASSERT:
    case EV_END_SIGNAL:
        return LOOK_INSTANT;
    default:
        break;
    }
    if (ev_acts_on(kind) == ON_MEMORY)
        return LOOK_ACCESS;
    return !begins_slice(kind) && ev_acts_on(kind) >= ON_SYNC ? LOOK_SLICE : LOOK_NONE;
}

static bool is_named(const struct chrome *w, const struct ev *e)
{
    const struct trace_filter *f = w->filter;
    for (uint32_t i = 0; i < f->names.len; i++)
        if (ev_touches(e, w->space, f->names.at[i]))
            return true;
    return false;
}

/* The slice of one event; a join lasts since the thread's event before it. */
static void show_slice(struct chrome *w, const struct ev *e, uint64_t number)
{
    const struct track *t = &w->tracks.at[e->thr];
    uint64_t start = e->kind == EV_JOIN && t->last != NO_EVENT ? t->last + 1 : number;
    start = start < t->woken ? t->woken : start;
    name_event(w, e);
    put_slice(w, e->thr, 0, (struct extent){start, number + 1}, e->site, true);
}

/* A created thread's first event has a slice, so that the arrow from its creator has an end.
 * has_slice says whether the event has one, before and after. */
static void show_first(struct chrome *w, const struct ev *e, uint64_t number, bool *has_slice)
{
    struct track *t = &w->tracks.at[e->thr];
    if (t->last != NO_EVENT || t->create.number == NO_EVENT)
        return;
    if (!*has_slice) {
        w->name.len = 0;
        str_add(&w->name, "start");
        put_slice(w, e->thr, 0, (struct extent){number, number + 1}, e->site, true);
        *has_slice = true;
    }
    put_arrow(w, "create", t->create, e->thr, number);
}

/* Does this whole wait last, because it has a lock? Then it begins here. */
static bool begin_whole_wait(struct chrome *w, const struct ev *e, uint64_t number)
{
    struct track *t = &w->tracks.at[e->thr];
    struct whole_wait *wait = &t->wait;
    if (t->wait.until != WAIT_NONE || (!t->just_released && t->held.len == 0))
        return false;
    wait->cond = e->addr;
    if (t->just_released) {
        wait->until = WAIT_FOR_ACQUIRE;
        wait->lock = t->released;
    } else {
        const struct section *s = &t->held.at[t->held.len - 1];
        wait->until = WAIT_FOR_NEXT;
        wait->lock = s->addr;
        wait->shared = s->shared;
        end_section(w, e->thr, t->held.len - 1, number, true);
        hand_over_release(w, e, wait->lock, number);
    }
    begin(w, e, number);
    begin_waiting(w, e);
    return true;
}

/* The thread's next event: it has been woken and has its lock again. */
static void end_bare_wait(struct chrome *w, const struct ev *e, uint64_t number)
{
    struct track *t = &w->tracks.at[e->thr];
    struct whole_wait *wait = &t->wait;
    wait->until = WAIT_NONE;
    t->woken = number;
    end_slice(w, e->thr, EV_WAIT, wait->cond, number);
    hand_over_waiter(w, e->thr, wait->cond, number);
    hand_over_lock(w, e->thr, wait->lock, wait->shared, number);
    vec_push(&t->held, (struct section){number, wait->lock, e->site, wait->shared});
}

/* Arrows have to end in a slice; has_slice is as for show_first. */
static void show_woken(struct chrome *w, const struct ev *e, uint64_t number, bool *has_slice)
{
    if (*has_slice)
        return;
    name_with_addr(w, ev_text(EV_ACQUIRE), w->tracks.at[e->thr].wait.lock);
    put_slice(w, e->thr, 0, (struct extent){number, number + 1}, e->site, true);
    *has_slice = true;
}

static void end_split_wait(struct chrome *w, const struct ev *e, uint64_t number)
{
    struct whole_wait *wait = &w->tracks.at[e->thr].wait;
    wait->until = WAIT_NONE;
    end_slice(w, e->thr, EV_WAIT, wait->cond, number + 1);
    hand_over_waiter(w, e->thr, wait->cond, number);
}

/* What the thread's next event may have to know about this one. */
static void note_release(struct track *t, const struct ev *e, uint32_t held_before)
{
    if (e->kind == EV_BRANCH)
        return;
    t->just_released = e->kind == EV_RELEASE && t->held.len < held_before;
    t->released = e->addr;
}

static void add_event(struct chrome *w, const struct ev *e)
{
    uint64_t number = w->cursor->number - 1;
    struct track *t = &w->tracks.at[e->thr];
    bool was_waiting = t->wait.until == WAIT_FOR_NEXT;
    if (was_waiting)
        end_bare_wait(w, e, number);
    bool waits = e->kind == EV_WAIT && begin_whole_wait(w, e, number);
    enum look look = waits ? LOOK_NONE : look_of(e->kind);
    bool has_slice = look == LOOK_SLICE || begins_slice(e->kind) || waits;
    uint32_t held = t->held.len;
    if (look == LOOK_SLICE)
        show_slice(w, e, number);
    show_first(w, e, number, &has_slice);
    if (was_waiting)
        show_woken(w, e, number, &has_slice);
    if (look == LOOK_INSTANT || (look == LOOK_ACCESS && is_named(w, e))) {
        name_event(w, e);
        put_instant(w, e, number);
    }
    nest(w, e, number);
    if (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE)
        hold(w, e, number);
    if (e->kind == EV_ACQUIRE && t->wait.until == WAIT_FOR_ACQUIRE && e->addr == t->wait.lock)
        end_split_wait(w, e, number);
    hand_over(w, e, number);
    note_release(t, e, held);
    t->last = number;
    t->last_is_slice = has_slice;
}

static void add_thread(struct chrome *w)
{
    uint32_t thr = w->tracks.len;
    bool wanted = filter_has_thread(w->filter, thr);
    vec_push(&w->tracks, (struct track){.last = NO_EVENT, .create = {.number = NO_EVENT}});
    vec_push(&w->is_wanted, wanted);
    if (wanted)
        put_metadata(w, thr, 0);
}

/* What is still open ends with the trace. */
static void end_all(struct chrome *w)
{
    for (uint32_t thr = 0; thr < w->tracks.len; thr++) {
        while (w->tracks.at[thr].stack.len > 0)
            end_pending(w, thr, w->cursor->number, false);
        while (w->tracks.at[thr].held.len > 0)
            end_section(w, thr, w->tracks.at[thr].held.len - 1, w->cursor->number, false);
    }
}

static void chrome_begin(struct chrome *w, struct trace *t, const struct trace_filter *f)
{
    *w = (struct chrome){.t = t, .filter = f};
    w->cursor = mem_get(sizeof *w->cursor);
    w->space = space_new();
    w->json.out = &w->out;
    cursor_init(w->cursor, t);
    json_open(&w->json, '{');
    put_text(w, "displayTimeUnit", "ns");
    json_key(&w->json, "traceEvents");
    json_open(&w->json, '[');
    str_char(&w->out, '\n');
    json_open(&w->json, '{');
    put_text(w, "ph", "M");
    put_number(w, "pid", PROCESS);
    put_text(w, "name", "process_name");
    json_key(&w->json, "args");
    json_open(&w->json, '{');
    put_text(w, "name", "heddle: 1 us = 1 event");
    json_close(&w->json, '}');
    close_record(w);
}

int chrome_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
                 struct err *err)
{
    AUTO(chrome) struct chrome w;
    struct ev e = {0};
    int item = ITEM_EVENT;
    chrome_begin(&w, t, f);
    while (w.cursor->number < f->to && item != ITEM_END) {
        item = trace_next(w.cursor, &e, err);
        if (item < 0)
            return -1;
        space_feed(w.space, w.cursor, item, &e);
        if (item == ITEM_THREAD)
            add_thread(&w);
        if (item == ITEM_EVENT)
            add_event(&w, &e);
        if (w.out.len > SINK_BYTES && sink(arg, &w.out, err) < 0)
            return -1;
    }
    t->cut = w.cursor->cut;
    end_all(&w);
    json_close(&w.json, ']');
    json_close(&w.json, '}');
    str_char(&w.out, '\n');
    return sink(arg, &w.out, err);
}
