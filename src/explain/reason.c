/* SPDX-License-Identifier: Apache-2.0
 *
 * reason: what a switch brings about. The events that others did while a thread stood still are
 * compared with what it had done before and does afterwards. What is looked for, in this order:
 * a place that it had looked at, that was changed, and that it comes back to; a place that was
 * changed before it came; a signal that came before the wait; a lock that it holds and others
 * want. */
#include "heddle/weak.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_MAX = 4000000,
    NEAR_MAX = 400,     /* events of the thread that stood still that are looked at */
    FOREIGN_MAX = 3000, /* of the others */
};

struct reasons {
    struct trace trace;
    struct space *space;
    VEC(struct ev) events;
    VEC(uint32_t) starts;       /* by choice: the event at which its thread goes on */
    struct map created, joined; /* thread -> the event that made it, that waited for its end */
    struct runfile schedule;
};

/* ---- reading ---------------------------------------------------------------------------- */

static int read_events(struct reasons *r, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct map blocks = {0}; /* address -> index of its allocation */
    struct ev e;
    int item;
    cursor_init(c, &r->trace);
    c->values = true;
    while ((item = trace_next(c, &e, err)) > ITEM_END && r->events.len < EVENTS_MAX) {
        space_feed(r->space, c, item, &e);
        if (item != ITEM_EVENT)
            continue;
        if (e.kind == EV_CREATE)
            *map_at(&r->created, e.peer) = r->events.len;
        if (e.kind == EV_JOIN)
            *map_at(&r->joined, e.peer) = r->events.len;
        if (e.kind == EV_ALLOC || e.kind == EV_STACK_ENTER)
            *map_at(&blocks, e.addr) = r->events.len;
        uint32_t born = ev_ends_life(e.kind) ? map_find(&blocks, e.addr) : NONE;
        if (born != NONE)
            e.len = r->events.at[born].len;
        vec_push(&r->events, e);
    }
    map_done(&blocks);
    free(c);
    return item < 0 ? -1 : 0;
}

/* A thread that goes on without any event leaves no mark in the trace. */
static void find_starts(struct reasons *r)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->schedule.choices.len; i++) {
        uint32_t thr = r->schedule.choices.at[i].thr;
        vec_push(&r->starts, at);
        if (choice_is_weak(&r->schedule.choices.at[i]))
            continue;
        while (at < r->events.len && r->events.at[at].thr == thr)
            at++;
    }
}

int reasons_open(struct reasons **out, const char *directory, struct err *err)
{
    AUTO(str) struct str trace = {0};
    AUTO(str) struct str schedule = {0};
    struct reasons *r = mem_zeroed(1, sizeof *r);
    str_add(&trace, "%s/trace", directory);
    str_add(&schedule, "%s/schedule", directory);
    r->space = space_new();
    if (runfile_open(&r->schedule, schedule.at, err) < 0 ||
        trace_open(&r->trace, trace.at, err) < 0 || read_events(r, err) < 0) {
        reasons_close(r);
        return -1;
    }
    find_starts(r);
    *out = r;
    return 0;
}

void reasons_close(struct reasons *r)
{
    vec_done(&r->events);
    vec_done(&r->starts);
    map_done(&r->created);
    map_done(&r->joined);
    space_free(r->space);
    trace_close(&r->trace);
    runfile_close(&r->schedule);
    free(r);
}

/* ---- events ----------------------------------------------------------------------------- */

static bool is_memory(const struct ev *e)
{
    return ev_acts_on(e->kind) == ON_MEMORY || ev_ends_life(e->kind);
}

static bool is_write(const struct ev *e)
{
    switch (e->kind) {
    case EV_WRITE:
    case EV_ATOMIC_STORE:
    case EV_RMW:
    case EV_WRITE_RANGE:
    case EV_EXTERNAL_WRITE:
    case EV_FREE:
    case EV_STACK_LEAVE:
        return true;
    case EV_CAS:
        return !(e->flags & FLAG(FAILED));
    default:
        return false;
    }
}

static uint64_t bytes_of(const struct ev *e)
{
    return ev_is_scalar(e->kind) ? e->size : e->len ? e->len : 1;
}

static bool overlap(const struct ev *a, const struct ev *b)
{
    return a->addr < b->addr + bytes_of(b) && b->addr < a->addr + bytes_of(a);
}

/* Would their order matter? */
static bool conflict(const struct ev *a, const struct ev *b)
{
    if (is_memory(a) && is_memory(b))
        return (is_write(a) || is_write(b)) && overlap(a, b);
    return (a->kind == EV_SIGNAL || a->kind == EV_BROADCAST) && b->kind == EV_WAIT_ENTER &&
           a->addr == b->addr;
}

/* The thread reads, and then decides. */
static bool is_check(const struct reasons *r, uint32_t at)
{
    const struct ev *e = &r->events.at[at];
    if (is_write(e))
        return false;
    for (uint32_t i = at + 1; i < r->events.len; i++)
        if (r->events.at[i].thr == e->thr)
            return r->events.at[i].kind == EV_BRANCH;
    return false;
}

/* ---- what to look for ------------------------------------------------------------------- */

/* A thread stood still from `begin` on and went on at `end`, if it did. */
struct gap {
    uint32_t thr, begin, end;
};

/* Did the thread that stood still wait for the end of that one before the event? */
static bool was_joined(const struct reasons *r, const struct gap *g, uint32_t thr,
                       uint32_t late)
{
    uint32_t join = map_find(&r->joined, thr);
    return join != NONE && join < late && r->events.at[join].thr == g->thr;
}

/* Somebody else's event in the gap whose order with `late` matters: the write that it met, or
 * else the last one. */
static uint32_t find_between(const struct reasons *r, const struct gap *g, uint32_t late)
{
    uint32_t found = NONE, looked = 0;
    for (uint32_t i = g->end; i-- > g->begin && looked < FOREIGN_MAX; looked++) {
        const struct ev *e = &r->events.at[i];
        if (e->thr == g->thr || !conflict(e, &r->events.at[late]) ||
            was_joined(r, g, e->thr, late))
            continue;
        if (is_write(e) || !is_memory(e))
            return i;
        if (found == NONE)
            found = i;
    }
    return found;
}

static uint32_t find_before(const struct reasons *r, const struct gap *g, uint32_t other)
{
    const struct ev *o = &r->events.at[other];
    uint32_t looked = 0, created = map_find(&r->created, o->thr);
    uint32_t least =
        created == NONE ? 0 : created; /* what was before was before in any order */
    for (uint32_t i = g->begin; i-- > least && looked < NEAR_MAX;) {
        const struct ev *e = &r->events.at[i];
        if (e->thr != g->thr)
            continue;
        looked++;
        if (is_memory(o) && is_memory(e) && overlap(e, o))
            return i;
    }
    return NONE;
}

/* What others did to memory, or signalled, and the thread meets when it goes on. */
static bool find_memory(struct reason *out, const struct reasons *r, const struct gap *g)
{
    uint32_t looked = 0;
    for (uint32_t i = g->end; i < r->events.len && looked < NEAR_MAX; i++) {
        if (r->events.at[i].thr != g->thr)
            continue;
        looked++;
        uint32_t between = find_between(r, g, i);
        if (between == NONE)
            continue;
        uint32_t first = find_before(r, g, between);
        if (first != NONE) {
            out->kind = is_write(&r->events.at[between]) ? REASON_BETWEEN : REASON_SEEN;
            memcpy(out->event, (uint32_t[]){first, between, i}, sizeof out->event);
            return true;
        }
        if (out->kind != REASON_CHANGED) {
            out->kind = REASON_CHANGED;
            memcpy(out->event, (uint32_t[]){between, i, NONE}, sizeof out->event);
        }
    }
    return out->kind == REASON_CHANGED;
}

/* Is the lock that was obtained here still held at that event? */
static bool is_held(const struct reasons *r, uint32_t acquired, uint32_t until)
{
    const struct ev *a = &r->events.at[acquired];
    for (uint32_t i = acquired + 1; i < until; i++) {
        const struct ev *e = &r->events.at[i];
        if (e->thr == a->thr && e->addr == a->addr && e->kind == EV_RELEASE && e->number == 0)
            return false;
    }
    return true;
}

/* Somebody else's request for it, from that event on; NONE: there is none. */
static uint32_t find_request(const struct reasons *r, const struct ev *lock, uint32_t from)
{
    for (uint32_t i = from; i < r->events.len; i++) {
        const struct ev *e = &r->events.at[i];
        if (e->thr != lock->thr && e->kind == EV_REQUEST && e->addr == lock->addr)
            return i;
    }
    return NONE;
}

static bool find_held(struct reason *out, const struct reasons *r, uint32_t acquired,
                      uint32_t at)
{
    const struct ev *a = &r->events.at[acquired];
    uint32_t request =
        a->kind == EV_ACQUIRE && is_held(r, acquired, at) ? find_request(r, a, at) : NONE;
    if (request == NONE)
        return false;
    out->kind = REASON_HELD;
    memcpy(out->event, (uint32_t[]){acquired, request, NONE}, sizeof out->event);
    return true;
}

/* What the thread holds while it stands still, or others have taken until it goes on. */
static bool find_lock(struct reason *out, const struct reasons *r, const struct gap *g)
{
    for (uint32_t i = g->begin; i-- > 0;)
        if (r->events.at[i].thr == g->thr && find_held(out, r, i, g->begin))
            return true;
    for (uint32_t i = g->begin; i < g->end; i++)
        if (find_held(out, r, i, g->end))
            return true;
    return false;
}

static bool has_place(const struct reasons *r, uint32_t event)
{
    return r->trace.sites.at[r->events.at[event].site].line != 0;
}

/* The first event of this thread, from there on, that has a place in the source. */
static uint32_t placed_event(const struct reasons *r, uint32_t from, uint32_t thr)
{
    for (uint32_t i = from; i < r->events.len; i++)
        if (r->events.at[i].thr == thr && has_place(r, i))
            return i;
    return NONE;
}

static uint32_t choice_of(const struct reasons *r, const struct run_nudge *n)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < r->schedule.choices.len; i++) {
        const struct choice *c = &r->schedule.choices.at[i];
        if (choice_is_weak(c) && n->why != c->why)
            continue;
        if (running == n->from && c->step == n->step && c->thr == n->to && i > 0)
            return i;
        running = choice_is_weak(c) ? running : c->thr;
    }
    return NONE;
}

struct reason reason_of(const struct reasons *r, const struct run_nudge *n)
{
    uint32_t choice = choice_of(r, n);
    struct gap g = {.thr = n->from,
                    .begin = choice == NONE ? r->events.len : r->starts.at[choice]};
    for (g.end = g.begin; g.end < r->events.len && r->events.at[g.end].thr != g.thr;)
        g.end++;
    struct reason out = {
        .kind = REASON_ORDER,
        .event = {placed_event(r, g.begin, n->to), placed_event(r, g.end, g.thr), NONE},
        .stood = n->from,
        .went = n->to};
    if (g.end == r->events.len || !find_memory(&out, r, &g))
        find_lock(&out, r, &g);
    return out;
}

struct reason reason_of_end(const struct reasons *r, uint32_t last)
{
    struct gap g = {.thr = r->events.at[last].thr, .end = last};
    while (g.end > 0 && r->events.at[g.end - 1].thr == g.thr)
        g.end--;
    for (g.begin = g.end; g.begin > 0 && r->events.at[g.begin - 1].thr != g.thr;)
        g.begin--;
    struct reason out = {
        .kind = REASON_ORDER, .event = {last, NONE, NONE}, .stood = g.thr, .went = g.thr};
    find_memory(&out, r, &g);
    return out;
}

uint32_t reason_last(const struct reasons *r)
{
    uint32_t count = r->schedule.choices.len;
    while (count > 0 && choice_is_weak(&r->schedule.choices.at[count - 1]))
        count--;
    uint32_t thr = count ? r->schedule.choices.at[count - 1].thr : 0;
    for (uint32_t i = r->events.len; i-- > 0;)
        if (r->events.at[i].thr == thr && has_place(r, i) &&
            ev_acts_on(r->events.at[i].kind) != ON_NONE)
            return i;
    return NONE;
}

uint32_t reason_thread(const struct reasons *r, uint32_t event)
{
    return r->events.at[event].thr;
}

/* ---- in words --------------------------------------------------------------------------- */

/* Without the column, which says little. */
void reason_place(struct str *out, const struct reasons *r, uint32_t event)
{
    const struct def_site *s = &r->trace.sites.at[r->events.at[event].site];
    const char *slash = s->file.at[0] == '/' ? memrchr(s->file.at, '/', s->file.len) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - s->file.at) : 0; /* the way there is long */
    if (s->line)
        str_add(out, "%.*s:%u", (int)(s->file.len - skip), s->file.at + skip, s->line);
    else
        site_name(out, s);
}

static void add_name(struct str *out, const struct reasons *r, const struct ev *e)
{
    obj_id id = space_find(r->space, e->addr);
    struct namer n = {.t = &r->trace};
    struct touched x = {.site = &r->trace.sites.at[e->site],
                        .kind = e->kind,
                        .o = id == NONE ? NULL : space_object(r->space, id),
                        .addr = e->addr,
                        .bytes = e->size};
    if (!is_memory(e))
        name_both(&n, out, &x);
    else if (!name_expression(&n, out, &x))
        name_object(&n, out, x.o, x.addr);
    namer_done(&n);
}

static const char *verb(const struct ev *e)
{
    return e->kind == EV_FREE                                ? "frees"
           : e->kind == EV_STACK_LEAVE                       ? "leaves the frame of"
           : e->kind == EV_SIGNAL || e->kind == EV_BROADCAST ? "signals"
           : e->kind == EV_RMW || e->kind == EV_CAS          ? "updates"
           : is_write(e)                                     ? "writes"
                                                             : "reads";
}

static const char *noun(const struct reasons *r, uint32_t at)
{
    const struct ev *e = &r->events.at[at];
    return e->kind == EV_FREE                       ? "free"
           : e->kind == EV_STACK_LEAVE              ? "end of its frame"
           : e->kind == EV_RMW || e->kind == EV_CAS ? "update"
           : is_write(e)                            ? "write"
           : is_check(r, at)                        ? "check"
                                                    : "read";
}

/* What it does there once it has looked. */
static const char *second_noun(const struct reasons *r, uint32_t first, uint32_t at)
{
    bool is_use = is_check(r, first) && !is_write(&r->events.at[at]);
    return is_use ? "use" : noun(r, at);
}

static void say_between(struct str *out, const struct reasons *r, const uint32_t *event)
{
    const struct ev *a = &r->events.at[event[0]], *w = &r->events.at[event[1]],
                    *b = &r->events.at[event[2]];
    str_add(out, "T%u %s ", w->thr, verb(w));
    add_name(out, r, ev_ends_life(w->kind) ? b : w);
    str_add(out, " between T%u's %s at ", a->thr, noun(r, event[0]));
    reason_place(out, r, event[0]);
    str_add(out, " and its %s at ", second_noun(r, event[0], event[2]));
    reason_place(out, r, event[2]);
}

static void say_changed(struct str *out, const struct reasons *r, const uint32_t *event)
{
    const struct ev *w = &r->events.at[event[0]], *b = &r->events.at[event[1]];
    bool waits = b->kind == EV_WAIT_ENTER;
    str_add(out, "T%u %s ", w->thr, verb(w));
    add_name(out, r, w);
    str_add(out, " at ");
    reason_place(out, r, event[0]);
    str_add(out, " before T%u %s at ", b->thr, waits ? "waits for it" : verb(b));
    reason_place(out, r, event[1]);
    str_add(out, "%s", waits ? "" : " what is there");
}

static void say_held(struct str *out, const struct reasons *r, const uint32_t *event)
{
    const struct ev *a = &r->events.at[event[0]], *q = &r->events.at[event[1]];
    str_add(out, "T%u asks for ", q->thr);
    add_name(out, r, q);
    str_add(out, " at ");
    reason_place(out, r, event[1]);
    str_add(out, " while T%u holds it since ", a->thr);
    reason_place(out, r, event[0]);
}

static void say_order(struct str *out, const struct reasons *r, const struct reason *why)
{
    str_add(out, "T%u goes on", why->went);
    if (why->event[0] != NONE) {
        str_add(out, " at ");
        reason_place(out, r, why->event[0]);
    }
    if (why->event[1] != NONE) {
        str_add(out, " before T%u does at ", why->stood);
        reason_place(out, r, why->event[1]);
    }
}

void reason_say(struct str *out, const struct reasons *r, const struct reason *why)
{
    switch (why->kind) {
    case REASON_ORDER:
        say_order(out, r, why);
        return;
    case REASON_HELD:
        say_held(out, r, why->event);
        return;
    case REASON_CHANGED:
        say_changed(out, r, why->event);
        return;
    case REASON_SEEN:
    case REASON_BETWEEN:
        say_between(out, r, why->event);
        return;
    }
}
