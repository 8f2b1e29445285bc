/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse: one walk that knows who has which lock, who waits for what, which objects were made
 * and which threads nobody has asked about. Memory that ends takes along what is known of it: a
 * block may come again with another lock in it. */
#include "finding/misuse.h"

#include "base/stop.h"
#include "finding/namer.h"

#include <string.h>

const struct misuse_info misuse_infos[MISUSE_COUNT] = {
#define MISUSE(name, word, mark, is_note, sentence) \
    [MISUSE_##name] = {word, mark, is_note, sentence},
#include "finding/misuse.def"
#undef MISUSE
};

enum { EACH_MAX = 64 }; /* kinds and places that are told */

/* Somebody has a lock, waits for something or has made it. */
struct tie {
    uint64_t addr;
    obj_id object;
    uint8_t kind; /* EV_ACQUIRE, EV_WAIT_ENTER, EV_REQUEST, EV_INIT */
    struct misuse_step by;
};

struct walk {
    struct trace *t;
    struct arena *mem;
    struct space *space;
    struct namer namer;
    misuses *out;
    struct map told;      /* hash of kind and site -> index + 1 */
    VEC(struct tie) ties; /* few at a time */
    struct map inits;     /* address -> index into made */
    VEC(struct tie) made; /* addr 0: it has been destroyed */
    struct map changes;   /* address of a thing of the system -> index into changed */
    VEC(struct misuse_step) changed;
    VEC(struct misuse_step)
    created;                 /* by thread; NO_EVENT: it is taken care of, or was there */
    struct misuse_step last; /* the event before this one */
    uint8_t last_mark;       /* UINT8_MAX: that was none */
};

static struct misuse_step step_of(const struct ev *e, uint64_t number)
{
    return (struct misuse_step){number, e->site, e->thr};
}

static const struct misuse_step nobody = {NO_EVENT, 0, 0};

/* ---- what is told ---------------------------------------------------------------------- */

static const char *name_of(struct walk *w, uint64_t addr, uint32_t site, unsigned kind)
{
    AUTO(str) struct str text = {0};
    obj_id id = space_find(w->space, addr);
    struct touched x = {.site = &w->t->sites.at[site],
                        .kind = kind,
                        .o = id == NONE ? NULL : space_object(w->space, id),
                        .addr = addr};
    name_quoted(&w->namer, &text, &x);
    return str_keep(w->mem, &text);
}

static void tell(struct walk *w, enum misuse_kind kind, struct misuse_step own,
                 struct misuse_step other, uint64_t addr, uint32_t named_at,
                 unsigned named_kind)
{
    uint32_t *at = map_at(&w->told, (uint64_t)kind << 32 | own.site);
    if (*at != NONE) {
        w->out->at[*at].alike++;
        return;
    }
    if (w->out->len == EACH_MAX)
        return;
    *at = w->out->len;
    vec_push(w->out,
             (struct misuse){.kind = kind,
                             .own = own,
                             .other = other,
                             .object = addr ? name_of(w, addr, named_at, named_kind) : ""});
}

/* ---- ties ------------------------------------------------------------------------------ */

static struct tie tie_of(struct walk *w, const struct ev *e, uint64_t number)
{
    return (struct tie){e->addr, space_find(w->space, e->addr), e->kind, step_of(e, number)};
}

static void untie(struct walk *w, uint32_t i)
{
    w->ties.len--;
    memmove(&w->ties.at[i], &w->ties.at[i + 1], (w->ties.len - i) * sizeof *w->ties.at);
}

/* The last tie of this kind to the address; thr NONE: of anybody. NONE: there is none. */
static uint32_t tie_find(const struct walk *w, uint64_t addr, unsigned kind, uint32_t thr)
{
    for (uint32_t i = w->ties.len; i-- > 0;) {
        const struct tie *x = &w->ties.at[i];
        if (x->addr == addr && x->kind == kind && (thr == NONE || x->by.thr == thr))
            return i;
    }
    return NONE;
}

/* The thread goes on: it does not wait any more. */
static void end_waits(struct walk *w, uint32_t thr, bool of_conditions)
{
    for (uint32_t i = w->ties.len; i-- > 0;) {
        const struct tie *x = &w->ties.at[i];
        if (x->by.thr == thr &&
            (x->kind == EV_REQUEST || (of_conditions && x->kind == EV_WAIT_ENTER)))
            untie(w, i);
    }
}

/* Its memory ends. */
static void forget(struct walk *w, const struct ev *e, uint64_t number)
{
    obj_id object = space_find(w->space, e->addr);
    for (uint32_t i = w->ties.len; object != NONE && i-- > 0;) {
        const struct tie *x = &w->ties.at[i];
        if (x->object != object)
            continue;
        if (x->kind == EV_ACQUIRE)
            tell(w, MISUSE_FREE_HELD, step_of(e, number), x->by, x->addr, x->by.site,
                 EV_ACQUIRE);
        untie(w, i);
    }
}

/* Who has to do with what is destroyed or unlocked, too. */
static struct misuse_step other_at(const struct walk *w, uint64_t addr, bool is_held)
{
    uint32_t at = tie_find(w, addr, EV_ACQUIRE, NONE);
    if (at == NONE || !is_held)
        at = tie_find(w, addr, EV_WAIT_ENTER, NONE);
    if (at == NONE)
        at = tie_find(w, addr, EV_REQUEST, NONE);
    return at == NONE ? nobody : w->ties.at[at].by;
}

/* ---- events ---------------------------------------------------------------------------- */

static void release(struct walk *w, const struct ev *e)
{
    uint32_t at = tie_find(w, e->addr, EV_ACQUIRE, e->thr);
    if (at == NONE)
        at = tie_find(w, e->addr, EV_ACQUIRE, NONE);
    if (at != NONE && e->number == 0)
        untie(w, at);
}

/* Is this an end that the program cannot give it without saying so? Blocks of a heap may be
 * given out again by an allocator of the program's own, and frames come and go. */
static bool is_for_ever(const struct walk *w, obj_id id)
{
    return id != NONE && space_object(w->space, id)->is_static;
}

/* Is there nothing else in its memory? Then that is no pool which gives out its parts anew. */
static bool is_alone(const struct walk *w, obj_id id, const struct ev *e)
{
    enum { LARGEST = 64 }; /* sync objects of the system are smaller */
    const struct object *o = space_object(w->space, id);
    return o->addr == e->addr && o->size <= LARGEST;
}

/* One place, maybe in code that was inlined twice. */
static bool is_one_place(const struct walk *w, uint32_t a, uint32_t b)
{
    const struct def_site *x = &w->t->sites.at[a], *y = &w->t->sites.at[b];
    return a == b ||
           (x->line == y->line && x->column == y->column && x->file.len == y->file.len &&
            memcmp(x->file.at, y->file.at, x->file.len) == 0);
}

static void init(struct walk *w, const struct ev *e, uint64_t number)
{
    struct tie own = tie_of(w, e, number);
    uint32_t held = tie_find(w, e->addr, EV_ACQUIRE, NONE);
    uint32_t *at = map_at(&w->inits, e->addr);
    const struct tie *old = *at == NONE ? NULL : &w->made.at[*at];
    bool is_again = old && old->addr && old->object == own.object && own.object != NONE;
    if (held != NONE && w->ties.at[held].object == own.object && own.object != NONE) {
        if (w->ties.at[held].by.thr != e->thr)
            tell(w, MISUSE_INIT_HELD, own.by, w->ties.at[held].by, e->addr, e->site, e->kind);
    } else if (is_again && is_for_ever(w, own.object)) {
        tell(w, MISUSE_INIT_AGAIN, own.by, old->by, e->addr, e->site, e->kind);
    } else if (is_again && !is_one_place(w, old->by.site, e->site)) {
        tell(w, is_alone(w, own.object, e) ? MISUSE_INIT_AGAIN : MISUSE_INIT_PERHAPS, own.by,
             old->by, e->addr, e->site, e->kind);
    }
    while (held != NONE) {
        untie(w, held);
        held = tie_find(w, e->addr, EV_ACQUIRE, NONE);
    }
    if (*at == NONE) {
        *at = w->made.len;
        vec_push(&w->made, own);
    } else {
        w->made.at[*at] = own;
    }
}

static void destroy(struct walk *w, const struct ev *e)
{
    uint32_t at = map_find(&w->inits, e->addr);
    if (at != NONE)
        w->made.at[at].addr = 0;
    while ((at = tie_find(w, e->addr, EV_ACQUIRE, NONE)) != NONE)
        untie(w, at);
}

/* Somebody has made something of the system another one. */
static void change(struct walk *w, const struct ev *e, uint64_t number)
{
    uint32_t *at = map_at(&w->changes, e->addr);
    if (*at == NONE) {
        *at = w->changed.len;
        vec_push(&w->changed, nobody);
    }
    w->changed.at[*at] = step_of(e, number);
}

static struct misuse_step changed_by(const struct walk *w, uint64_t addr)
{
    uint32_t at = map_find(&w->changes, addr);
    return at == NONE ? nobody : w->changed.at[at];
}

/* The mark of a call that follows is told with what the call does. */
static bool follows_mark(const struct walk *w, const struct ev *e, uint64_t number)
{
    return w->last_mark != UINT8_MAX && w->last.event + 1 == number && w->last.thr == e->thr &&
           w->last.site == e->site;
}

static void mark(struct walk *w, const struct ev *e, uint64_t number)
{
    if (e->word == WORD_VALUE(MARK, FORK)) /* what it has inherited is not judged */
        w->ties.len = w->created.len = 0;
    for (unsigned kind = 0; kind < MISUSE_COUNT; kind++) {
        if (misuse_infos[kind].mark != e->word)
            continue;
        bool is_held = kind != MISUSE_DESTROY_AWAITED;
        struct misuse_step other = kind == MISUSE_WAIT_UNHELD ? nobody
                                   : kind == MISUSE_CLOSED    ? changed_by(w, e->addr)
                                                              : other_at(w, e->addr, is_held);
        tell(w, kind, step_of(e, number), other, kind == MISUSE_CLOSED ? 0 : e->addr, e->site,
             EV_RELEASE);
        w->last_mark = e->word;
    }
}

static void thread_ends(struct walk *w, const struct ev *e, uint64_t number)
{
    for (uint32_t i = 0; i < w->ties.len; i++) {
        const struct tie *x = &w->ties.at[i];
        if (x->kind != EV_ACQUIRE || x->by.thr != e->thr)
            continue;
        struct misuse_step own = step_of(e, number);
        own.site = x->by.site; /* where it ends says little */
        tell(w, MISUSE_END_HOLDING, own, x->by, x->addr, x->by.site, EV_ACQUIRE);
    }
}

static struct misuse_step *created(struct walk *w, uint32_t thr)
{
    while (w->created.len <= thr)
        vec_push(&w->created, nobody);
    return &w->created.at[thr];
}

static void meet(struct walk *w, const struct ev *e, uint64_t number)
{
    switch (e->kind) {
    case EV_ACQUIRE:
        if (e->number == 1)
            vec_push(&w->ties, tie_of(w, e, number));
        break;
    case EV_RELEASE:
        release(w, e);
        break;
    case EV_WAIT_ENTER:
    case EV_REQUEST:
        vec_push(&w->ties, tie_of(w, e, number));
        break;
    case EV_INIT:
        init(w, e, number);
        break;
    case EV_DESTROY:
        destroy(w, e);
        break;
    case EV_FREE:
    case EV_STACK_LEAVE:
        forget(w, e, number);
        break;
    case EV_MARK:
        mark(w, e, number);
        break;
    case EV_CHANGE:
        change(w, e, number);
        break;
    case EV_CREATE:
        *created(w, e->peer) = step_of(e, number);
        break;
    case EV_JOIN:
    case EV_DETACH:
        *created(w, e->peer) = nobody;
        break;
    case EV_EXIT:
        thread_ends(w, e, number);
        break;
    default:
        break;
    }
}

static void event(struct walk *w, const struct ev *e, uint64_t number)
{
    if (follows_mark(w, e, number) && w->out->len > 0 &&
        w->out->at[w->out->len - 1].own.event == w->last.event)
        w->out->at[w->out->len - 1].own.event = number;
    w->last_mark = UINT8_MAX;
    if (w->ties.len > 0)
        end_waits(w, e->thr, e->kind == EV_WAIT_LEAVE);
    meet(w, e, number);
    w->last = step_of(e, number);
}

enum { STOP_EVERY = 1 << 16 }; /* events between two looks at the clock */

/* Only where the whole run is known, and its end was what the program meant. */
static void unjoined(struct walk *w, bool ended_well)
{
    for (uint32_t i = 0; ended_well && i < w->created.len; i++)
        if (w->created.at[i].event != NO_EVENT)
            tell(w, MISUSE_UNJOINED, w->created.at[i], nobody, 0, 0, 0);
}

int misuse_find(struct trace *t, struct arena *mem, misuses *out, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct walk w = {.t = t, .mem = mem, .space = space_new(), .out = out};
    struct ev e;
    int item;
    bool ended_well = false, is_stopped = false;
    w.namer.t = t;
    w.last_mark = UINT8_MAX;
    w.last = nobody;
    cursor_init(c, t);
    while (!is_stopped && (item = trace_next(c, &e, err)) > ITEM_END) {
        space_feed(w.space, c, item, &e);
        if (item != ITEM_EVENT)
            continue;
        is_stopped = c->number % STOP_EVERY == 0 && stop_signal();
        event(&w, &e, c->number - 1);
        ended_well = e.kind == EV_END_EXIT && e.number == 0;
    }
    unjoined(&w, item == ITEM_END && ended_well);
    free(c);
    vec_done(&w.ties);
    vec_done(&w.made);
    vec_done(&w.changed);
    map_done(&w.changes);
    vec_done(&w.created);
    map_done(&w.told);
    map_done(&w.inits);
    namer_done(&w.namer);
    space_free(w.space);
    return item < 0 ? -1 : 0;
}
