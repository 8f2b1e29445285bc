/* SPDX-License-Identifier: Apache-2.0
 *
 * reason: see reason.h. The events that others did while a thread stood still are compared
 * with what it had done before and does afterwards. What is looked for, in this order: a place
 * that it had looked at, that was changed, and that it comes back to; a place that was changed
 * before it came; a signal that came before the wait; a lock that it holds and others want. */
#include "cmd/reason.h"

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
    VEC(uint32_t) starts; /* by choice: the event at which its thread goes on */
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
        if (e.kind == EV_ALLOC)
            *map_at(&blocks, e.addr) = r->events.len;
        uint32_t born = e.kind == EV_FREE ? map_find(&blocks, e.addr) : NONE;
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
    space_free(r->space);
    trace_close(&r->trace);
    runfile_close(&r->schedule);
    free(r);
}

/* ---- events ----------------------------------------------------------------------------- */

static bool is_memory(const struct ev *e)
{
    return ev_acts_on(e->kind) == ON_MEMORY || e->kind == EV_FREE;
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

/* ---- words ------------------------------------------------------------------------------ */

static void add_place(struct str *out, const struct reasons *r, const struct ev *e)
{
    site_name(out, &r->trace.sites.at[e->site]);
    char *colon = strrchr(out->at, ':'), *before = colon;
    while (before && before > out->at && *--before != ':' && *before != ' ')
        ;
    if (colon && before && *before == ':') /* file:line:column: the column says little */
        out->len = (size_t)(colon - out->at);
    out->at[out->len] = 0;
}

static void add_name(struct str *out, const struct reasons *r, const struct ev *e)
{
    struct def_text name = r->trace.sites.at[e->site].name;
    if (name.len && is_memory(e))
        str_add(out, "%.*s", (int)name.len, name.at);
    else
        addr_name(out, r->space, e->addr);
}

static const char *verb(const struct ev *e)
{
    return e->kind == EV_FREE                                ? "frees"
           : e->kind == EV_SIGNAL || e->kind == EV_BROADCAST ? "signals"
           : e->kind == EV_RMW || e->kind == EV_CAS          ? "updates"
           : is_write(e)                                     ? "writes"
                                                             : "reads";
}

static const char *noun(const struct reasons *r, uint32_t at)
{
    const struct ev *e = &r->events.at[at];
    return e->kind == EV_FREE                       ? "free"
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

/* ---- what to say ------------------------------------------------------------------------ */

/* A thread stood still from `begin` on and went on at `end`, if it did. */
struct gap {
    uint32_t thr, begin, end;
};

/* Somebody else's event in the gap whose order with `late` matters. */
static uint32_t find_between(const struct reasons *r, const struct gap *g, uint32_t late)
{
    uint32_t found = NONE, looked = 0;
    for (uint32_t i = g->begin; i < g->end && looked < FOREIGN_MAX; i++, looked++) {
        const struct ev *e = &r->events.at[i];
        if (e->thr == g->thr || !conflict(e, &r->events.at[late]))
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
    uint32_t looked = 0;
    for (uint32_t i = g->begin; i-- > 0 && looked < NEAR_MAX;) {
        const struct ev *e = &r->events.at[i];
        if (e->thr != g->thr)
            continue;
        looked++;
        if (is_memory(o) && is_memory(e) && overlap(e, o))
            return i;
    }
    return NONE;
}

static void say_triple(struct str *out, const struct reasons *r, uint32_t first,
                       uint32_t between, uint32_t late)
{
    const struct ev *a = &r->events.at[first], *w = &r->events.at[between],
                    *b = &r->events.at[late];
    AUTO(str) struct str place = {0};
    str_add(out, "T%u %s ", w->thr, verb(w));
    add_name(out, r, w->kind == EV_FREE ? b : w);
    add_place(&place, r, a);
    str_add(out, " between T%u's %s at %s", a->thr, noun(r, first), place.at);
    place.len = 0;
    add_place(&place, r, b);
    str_add(out, " and its %s at %s", second_noun(r, first, late), place.at);
}

static void say_pair(struct str *out, const struct reasons *r, uint32_t between, uint32_t late)
{
    const struct ev *w = &r->events.at[between], *b = &r->events.at[late];
    AUTO(str) struct str place = {0};
    str_add(out, "T%u %s ", w->thr, verb(w));
    add_name(out, r, w);
    add_place(&place, r, w);
    str_add(out, " at %s before T%u ", place.at, b->thr);
    place.len = 0;
    add_place(&place, r, b);
    str_add(out, "%s at %s", b->kind == EV_WAIT_ENTER ? "waits for it" : verb(b), place.at);
    if (b->kind != EV_WAIT_ENTER)
        str_add(out, " what is there");
}

/* What others did to memory, or signalled, and the thread meets when it goes on. */
static bool say_memory(struct str *out, const struct reasons *r, const struct gap *g)
{
    uint32_t pair_late = NONE, pair_between = NONE, looked = 0;
    for (uint32_t i = g->end; i < r->events.len && looked < NEAR_MAX; i++) {
        if (r->events.at[i].thr != g->thr)
            continue;
        looked++;
        uint32_t between = find_between(r, g, i);
        if (between == NONE)
            continue;
        uint32_t first = find_before(r, g, between);
        if (first != NONE) {
            say_triple(out, r, first, between, i);
            return true;
        }
        if (pair_late == NONE) {
            pair_late = i;
            pair_between = between;
        }
    }
    if (pair_late != NONE)
        say_pair(out, r, pair_between, pair_late);
    return pair_late != NONE;
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

static bool say_held(struct str *out, const struct reasons *r, uint32_t acquired, uint32_t at)
{
    const struct ev *a = &r->events.at[acquired];
    uint32_t request =
        a->kind == EV_ACQUIRE && is_held(r, acquired, at) ? find_request(r, a, at) : NONE;
    if (request == NONE)
        return false;
    const struct ev *q = &r->events.at[request];
    AUTO(str) struct str place = {0};
    str_add(out, "T%u asks for ", q->thr);
    addr_name(out, r->space, q->addr);
    add_place(&place, r, q);
    str_add(out, " at %s while T%u holds it since ", place.at, a->thr);
    place.len = 0;
    add_place(&place, r, a);
    str_add(out, "%s", place.at);
    return true;
}

/* What the thread holds while it stands still, or others have taken until it goes on. */
static bool say_lock(struct str *out, const struct reasons *r, const struct gap *g)
{
    for (uint32_t i = g->begin; i-- > 0;)
        if (r->events.at[i].thr == g->thr && say_held(out, r, i, g->begin))
            return true;
    for (uint32_t i = g->begin; i < g->end; i++)
        if (say_held(out, r, i, g->end))
            return true;
    return false;
}

/* The first event of this thread, from there on, that has a place in the source. */
static const struct ev *placed_event(const struct reasons *r, uint32_t from, uint32_t thr)
{
    for (uint32_t i = from; i < r->events.len; i++)
        if (r->events.at[i].thr == thr && r->trace.sites.at[r->events.at[i].site].line)
            return &r->events.at[i];
    return NULL;
}

static void say_plainly(struct str *out, const struct reasons *r, const struct gap *g,
                        uint32_t to)
{
    const struct ev *first = placed_event(r, g->begin, to);
    const struct ev *late = placed_event(r, g->end, g->thr);
    AUTO(str) struct str place = {0};
    str_add(out, "T%u goes on", to);
    if (first) {
        add_place(&place, r, first);
        str_add(out, " at %s", place.at);
    }
    place.len = 0;
    if (late) {
        add_place(&place, r, late);
        str_add(out, " before T%u does at %s", g->thr, place.at);
    }
}

static uint32_t choice_of(const struct reasons *r, const struct run_nudge *n)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < r->schedule.choices.len; i++) {
        const struct choice *c = &r->schedule.choices.at[i];
        if (running == n->from && c->step == n->step && c->thr == n->to && i > 0)
            return i;
        running = c->thr;
    }
    return NONE;
}

void reason_add(struct str *out, const struct reasons *r, const struct run_nudge *n)
{
    uint32_t choice = choice_of(r, n);
    struct gap g = {.thr = n->from,
                    .begin = choice == NONE ? r->events.len : r->starts.at[choice]};
    for (g.end = g.begin; g.end < r->events.len && r->events.at[g.end].thr != g.thr;)
        g.end++;
    if (g.end == r->events.len ? !say_lock(out, r, &g) : !say_memory(out, r, &g))
        if (g.end == r->events.len || !say_lock(out, r, &g))
            say_plainly(out, r, &g, n->to);
}
