/* SPDX-License-Identifier: Apache-2.0
 *
 * graph: see relaxed.h. The trace says which store a stale read has read, and before which
 * one an early store comes; every other read has read the newest, every other store is that. */
#include "relaxed/relaxed.h"

#include <string.h>

/* What is at an address now. */
struct place {
    uint32_t loc;
    uint8_t size;
};

/* 8 bytes, and which atomic objects have been in them during the run. */
struct eight {
    uint8_t object[8]; /* where the byte's begins, and its size; 0: none */
    bool is_mixed;     /* some overlap: libstdc++ reads both counts of a shared_ptr at once */
};

/* How often a thread has said that what it does, reads or writes is not to be reported. */
struct quiet {
    uint32_t all, reads, writes;
};

/* Races there are intended. */
struct benign {
    uint64_t addr, len;
};

struct reading {
    struct relaxed_graph *g;
    struct map places;       /* address -> index of ... */
    VEC(struct place) place; /* ... the atomic object there */
    VEC(uint64_t) addrs;     /* of those */
    struct map stores;       /* event -> store */
    struct map objects;      /* address -> object */
    VEC(uint32_t) done;      /* by thread: steps */
    uint64_t weak_of;        /* event that the next one reads, or comes before */
    uint8_t weak_kind;       /* EV_STALE, EV_EARLY; 0: neither */
    struct map blocks;       /* address -> index of ... */
    VEC(uint64_t) block_bytes;
    struct map words; /* number of 8 bytes -> index of ... */
    VEC(struct eight) word;
    VEC(struct quiet) quiet; /* by thread */
    VEC(struct benign) benign;
    bool any_mixed; /* some word is */
};

/* ---- stores ------------------------------------------------------------------------------ */

static uint32_t store_add(struct relaxed_graph *g, struct relaxed_store s)
{
    vec_push(&g->stores, s);
    return g->stores.len - 1;
}

/* The store that comes right before it in the modification order. */
static uint32_t store_before(const struct relaxed_graph *g, uint32_t first, uint32_t store)
{
    uint32_t s = first;
    while (g->stores.at[s].next != store)
        s = g->stores.at[s].next;
    return s;
}

static uint32_t loc_new(struct relaxed_graph *g, uint64_t value)
{
    uint32_t loc = g->loc_count++;
    uint32_t first = store_add(
        g, (struct relaxed_store){.value = value, .step = NONE, .loc = loc, .next = NONE});
    vec_push(&g->last, first);
    return loc;
}

/* The object that an atomic access is about; a new one if it is met first, or has another
 * size. */
static uint32_t loc_at(struct reading *r, const struct ev *e, uint64_t value)
{
    uint32_t *at = map_at(&r->places, e->addr);
    if (*at == NONE) {
        *at = r->place.len;
        vec_push(&r->place, (struct place){NONE, 0});
        vec_push(&r->addrs, e->addr);
    }
    struct place *p = &r->place.at[*at];
    if (p->loc == NONE || p->size != e->size)
        *p = (struct place){loc_new(r->g, value), e->size};
    return p->loc;
}

/* Whatever atomic object there is becomes another one. */
static void memory_changes(struct reading *r, uint64_t addr, uint64_t len)
{
    for (uint64_t a = addr > 7 ? addr - 7 : 0; len <= 4096 && a < addr + len; a++) {
        uint32_t at = map_find(&r->places, a);
        if (at != NONE && a + r->place.at[at].size > addr)
            r->place.at[at].loc = NONE;
    }
    for (uint32_t i = 0; len > 4096 && i < r->addrs.len; i++)
        if (r->addrs.at[i] < addr + len && addr < r->addrs.at[i] + 8)
            r->place.at[i].loc = NONE;
}

/* ---- what is not to be reported ---------------------------------------------------------- */

static struct quiet *quiet_of(struct reading *r, uint32_t thr)
{
    while (r->quiet.len <= thr)
        vec_push(&r->quiet, (struct quiet){0});
    return &r->quiet.at[thr];
}

static void count_quiet(uint32_t *depth, bool begins)
{
    if (begins)
        ++*depth;
    else if (*depth > 0) /* an end too many says nothing */
        --*depth;
}

static void note_mark(struct reading *r, const struct ev *e)
{
    struct quiet *q = quiet_of(r, e->thr);
    switch (e->word) {
    case WORD_VALUE(MARK, IGNORE_BEGIN):
    case WORD_VALUE(MARK, IGNORE_END):
        count_quiet(&q->all, e->word == WORD_VALUE(MARK, IGNORE_BEGIN));
        break;
    case WORD_VALUE(MARK, READS_BEGIN):
    case WORD_VALUE(MARK, READS_END):
        count_quiet(&q->reads, e->word == WORD_VALUE(MARK, READS_BEGIN));
        break;
    case WORD_VALUE(MARK, WRITES_BEGIN):
    case WORD_VALUE(MARK, WRITES_END):
        count_quiet(&q->writes, e->word == WORD_VALUE(MARK, WRITES_BEGIN));
        break;
    case WORD_VALUE(MARK, BENIGN):
        vec_push(&r->benign, (struct benign){e->addr, e->len});
        break;
    default:
        break;
    }
}

/* What is said of memory holds until that ends. */
static void forget_benign(struct reading *r, uint64_t addr, uint64_t len)
{
    for (uint32_t i = r->benign.len; i-- > 0;)
        if (r->benign.at[i].addr >= addr && r->benign.at[i].addr < addr + len)
            r->benign.at[i] = r->benign.at[--r->benign.len];
}

static bool is_ignored(struct reading *r, const struct relaxed_step *s, bool writes)
{
    const struct quiet *q = quiet_of(r, s->thr);
    bool is_quiet = q->all > 0 || (writes ? q->writes : q->reads) > 0;
    for (uint32_t i = 0; !is_quiet && i < r->benign.len; i++)
        is_quiet = s->addr < r->benign.at[i].addr + r->benign.at[i].len &&
                   r->benign.at[i].addr < s->addr + s->len;
    return is_quiet;
}

/* ---- steps ------------------------------------------------------------------------------- */

static struct relaxed_step *step_add(struct reading *r, const struct ev *e, uint64_t number,
                                     enum relaxed_op op)
{
    while (r->done.len <= e->thr)
        vec_push(&r->done, 0);
    const struct def_site *site =
        e->site < r->g->trace.sites.len ? &r->g->trace.sites.at[e->site] : NULL;
    vec_push(&r->g->steps,
             (struct relaxed_step){.event = number,
                                   .key = site ? (uint64_t)site->unit << 32 | site->ordinal : 0,
                                   .addr = e->addr,
                                   .len = e->size ? e->size : e->len,
                                   .thr = e->thr,
                                   .site = e->site,
                                   .loc = NONE,
                                   .from = NONE,
                                   .store = NONE,
                                   .newest = NONE,
                                   .peer = NONE,
                                   .index = ++r->done.at[e->thr],
                                   .op = (uint8_t)op,
                                   .order = e->order});
    if (r->g->thread_count <= e->thr)
        r->g->thread_count = e->thr + 1;
    return &r->g->steps.at[r->g->steps.len - 1];
}

static uint32_t told_store(struct reading *r, unsigned kind)
{
    return r->weak_kind == kind ? map_find(&r->stores, r->weak_of) : NONE;
}

static void take_store(struct reading *r, struct relaxed_step *s, const struct ev *e,
                       bool updates)
{
    struct relaxed_graph *g = r->g;
    uint32_t step = (uint32_t)(s - g->steps.at), newest = g->last.at[s->loc];
    uint32_t early = told_store(r, EV_EARLY);
    uint32_t behind = updates ? s->from : newest;
    if (early != NONE && g->stores.at[early].loc == s->loc) {
        uint32_t first =
            newest; /* any store leads to all behind it: start at the object's first */
        for (uint32_t i = 0; i < g->stores.len; i++)
            if (g->stores.at[i].loc == s->loc && g->stores.at[i].step == NONE)
                first = i;
        behind = store_before(g, first, early);
        s->newest = early;
        s->is_weak = true;
    }
    uint32_t next = g->stores.at[behind].next;
    s->store = store_add(g, (struct relaxed_store){.value = ev_left_value(e),
                                                   .step = step,
                                                   .loc = s->loc,
                                                   .next = next,
                                                   .is_update = updates});
    g->stores.at[behind].next = s->store;
    if (next == NONE)
        g->last.at[s->loc] = s->store;
    *map_at(&r->stores, s->event) = s->store;
    s->writes = true;
}

static bool is_atomic_kind(unsigned kind)
{
    return kind == EV_ATOMIC_LOAD || kind == EV_ATOMIC_STORE || kind == EV_RMW ||
           kind == EV_CAS;
}

static void note_word(struct reading *r, uint64_t addr, uint32_t size)
{
    uint32_t *at = map_at(&r->words, addr >> 3);
    if (*at == NONE) {
        *at = r->word.len;
        vec_push(&r->word, (struct eight){{0}, false});
    }
    struct eight *w = &r->word.at[*at];
    uint32_t first = addr & 7;
    uint8_t object = (uint8_t)(first << 4 | size);
    for (uint32_t i = first; i < first + size && i < 8; i++) {
        w->is_mixed |= w->object[i] != 0 && w->object[i] != object;
        w->object[i] = object;
    }
    r->any_mixed |= w->is_mixed;
}

static bool is_mixed(const struct reading *r, uint64_t addr)
{
    uint32_t at = map_find(&r->words, addr >> 3);
    return at != NONE && r->word.at[at].is_mixed;
}

static void take_atomic(struct reading *r, const struct ev *e, uint64_t number)
{
    bool failed = e->kind == EV_CAS && (e->flags & FLAG(FAILED));
    bool reads = e->kind != EV_ATOMIC_STORE;
    bool writes = e->kind != EV_ATOMIC_LOAD && !failed;
    uint32_t loc = loc_at(r, e, reads ? e->value : 0);
    struct relaxed_step *s = step_add(r, e, number,
                                      reads && writes ? RELAXED_UPDATE
                                      : writes        ? RELAXED_STORE
                                                      : RELAXED_LOAD);
    s->loc = loc;
    s->is_cas = failed;
    if (reads) {
        uint32_t stale = told_store(r, EV_STALE);
        s->newest = s->from = r->g->last.at[loc];
        if (r->weak_kind == EV_STALE) {
            s->is_weak = true;
            if (stale != NONE && r->g->stores.at[stale].loc == loc)
                s->from = stale;
            else /* what was there before anybody stored */
                for (uint32_t i = 0; i < r->g->stores.len; i++)
                    if (r->g->stores.at[i].loc == loc && r->g->stores.at[i].step == NONE)
                        s->from = i;
        }
    }
    s->is_ignored = is_ignored(r, s, writes);
    if (writes)
        take_store(r, s, e, reads);
}

static void take_plain(struct reading *r, const struct ev *e, uint64_t number)
{
    bool writes = e->kind == EV_WRITE || e->kind == EV_WRITE_RANGE;
    struct relaxed_step *s = step_add(r, e, number, RELAXED_PLAIN);
    s->writes = writes;
    s->is_ignored = is_ignored(r, s, writes);
    if (writes)
        memory_changes(r, s->addr, s->len);
}

/* A block that begins or ends. */
static void take_block(struct reading *r, const struct ev *e, uint64_t number)
{
    bool begins = e->kind == EV_ALLOC || e->kind == EV_STACK_ENTER;
    uint32_t *at = map_at(&r->blocks, e->addr);
    if (*at == NONE) {
        *at = r->block_bytes.len;
        vec_push(&r->block_bytes, 0);
    }
    if (begins)
        r->block_bytes.at[*at] = e->len;
    struct relaxed_step *s = step_add(r, e, number, RELAXED_NEW);
    s->len = r->block_bytes.at[*at];
    s->frees = e->kind == EV_FREE;
    s->is_ignored = is_ignored(r, s, true);
    memory_changes(r, s->addr, s->len);
    forget_benign(r, s->addr, s->len);
}

static uint32_t object_at(struct reading *r, uint64_t addr)
{
    uint32_t *at = map_at(&r->objects, addr);
    if (*at == NONE)
        *at = r->g->object_count++;
    return *at;
}

/* What is left somewhere is known to whoever takes from there. */
static void take_sync(struct reading *r, const struct ev *e, uint64_t number,
                      enum relaxed_op op, uint64_t addr)
{
    struct relaxed_step *s = step_add(r, e, number, op);
    s->loc = object_at(r, addr);
    s->shared = (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE) && (e->flags & FLAG(SHARED));
}

/* Objects that overlap are kept in order as if a lock went with them: the rules say nothing of
 * them, and processors order more than two objects apart. */
static void take_any_atomic(struct reading *r, const struct ev *e, uint64_t number)
{
    note_word(r, e->addr, e->size);
    bool mixed = is_mixed(r, e->addr);
    uint64_t object = ~(e->addr >> 3);
    if (mixed)
        take_sync(r, e, number, RELAXED_TAKE, object);
    take_atomic(r, e, number);
    if (mixed)
        take_sync(r, e, number, RELAXED_LEAVE, object);
}

enum {
    TAKES = 1,
    LEAVES = 2,
    OF_ALL = 4,     /* of all things of the system together */
    ALL_THINGS = 1, /* their address */
};

/* Who gets to know what others left, and who leaves what he knows. */
static const uint8_t passes[EV_COUNT] = {
    [EV_ACQUIRE] = TAKES,          [EV_SEM_WAIT] = TAKES,
    [EV_DEPART] = TAKES,           [EV_ONCE_PASS] = TAKES,
    [EV_ONCE_ENTER] = TAKES,       [EV_WAIT_LEAVE] = TAKES,
    [EV_RELEASE] = LEAVES,         [EV_SEM_POST] = LEAVES,
    [EV_ARRIVE] = LEAVES,          [EV_ONCE_LEAVE] = LEAVES,
    [EV_SIGNAL] = LEAVES,          [EV_BROADCAST] = LEAVES,
    [EV_MARK] = TAKES | LEAVES, /* who says so orders, in both ways */
    [EV_CHANGE] = LEAVES | OF_ALL, [EV_CHANNEL_WRITE] = LEAVES | OF_ALL,
    [EV_LOOK] = TAKES | OF_ALL,    [EV_SUM] = TAKES | OF_ALL,
    [EV_HEAR] = TAKES | OF_ALL,    [EV_CHANNEL_READ] = TAKES | OF_ALL,
};

static void take_passes(struct reading *r, const struct ev *e, uint64_t number)
{
    uint8_t how = passes[e->kind];
    uint64_t addr = how & OF_ALL ? ALL_THINGS : e->addr;
    if (how & TAKES)
        take_sync(r, e, number, RELAXED_TAKE, addr);
    if (how & LEAVES)
        take_sync(r, e, number, RELAXED_LEAVE, addr);
}

static void take_mark(struct reading *r, const struct ev *e, uint64_t number)
{
    note_mark(r, e);
    take_passes(r, e, number);
}

static void take_foreign(struct reading *r, const struct ev *e, uint64_t number)
{
    if (e->addr == PIN_ADDRESS)
        step_add(r, e, number, RELAXED_PIN);
    else
        memory_changes(r, e->addr, e->len);
}

static void take_event(struct reading *r, const struct ev *e, uint64_t number)
{
    switch (e->kind) {
    case EV_ATOMIC_LOAD:
    case EV_ATOMIC_STORE:
    case EV_RMW:
    case EV_CAS:
        take_any_atomic(r, e, number);
        break;
    case EV_FENCE:
        step_add(r, e, number, RELAXED_FENCE);
        break;
    case EV_READ:
    case EV_WRITE:
    case EV_READ_RANGE:
    case EV_WRITE_RANGE:
        take_plain(r, e, number);
        break;
    case EV_EXTERNAL_WRITE:
        take_foreign(r, e, number);
        break;
    case EV_ALLOC:
    case EV_FREE:
    case EV_STACK_ENTER:
    case EV_STACK_LEAVE:
        take_block(r, e, number);
        break;
    case EV_CREATE:
        step_add(r, e, number, RELAXED_CREATE)->peer = e->peer;
        break;
    case EV_JOIN:
        step_add(r, e, number, RELAXED_JOIN)->peer = e->peer;
        break;
    case EV_START:
        step_add(r, e, number, RELAXED_START);
        break;
    case EV_MARK:
        take_mark(r, e, number);
        break;
    default:
        take_passes(r, e, number);
    }
}

/* Places in the modification orders, now that all stores are known. */
static void rank_stores(struct relaxed_graph *g)
{
    for (uint32_t i = 0; i < g->stores.len; i++) {
        if (g->stores.at[i].step != NONE)
            continue;
        uint32_t rank = 0;
        for (uint32_t s = i; s != NONE; s = g->stores.at[s].next)
            g->stores.at[s].rank = rank++;
    }
}

static int read_steps(struct reading *r, struct err *err)
{
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, &r->g->trace);
    c->values = true;
    while ((item = trace_next(c, &e, err)) > ITEM_END && r->g->steps.len < RELAXED_STEPS_MAX) {
        if (item != ITEM_EVENT)
            continue;
        if (e.kind == EV_STALE || e.kind == EV_EARLY) {
            r->weak_kind = e.kind;
            r->weak_of = e.ref;
            continue;
        }
        take_event(r, &e, c->number - 1);
        r->weak_kind = 0;
    }
    free(c);
    return item > ITEM_END ? err_set(err, "the run has more than %d steps", RELAXED_STEPS_MAX)
                           : item;
}

/* Back to the beginning of the trace, but for the words. */
static void start_over(struct reading *r)
{
    map_done(&r->places);
    map_done(&r->stores);
    map_done(&r->objects);
    map_done(&r->blocks);
    vec_done(&r->place);
    vec_done(&r->addrs);
    vec_done(&r->done);
    vec_done(&r->block_bytes);
    vec_done(&r->quiet);
    vec_done(&r->benign);
    r->weak_kind = 0;
}

static void forget_steps(struct relaxed_graph *g)
{
    vec_done(&g->steps);
    vec_done(&g->stores);
    vec_done(&g->last);
    g->loc_count = g->object_count = g->thread_count = 0;
}

int relaxed_graph_of(struct relaxed_graph *out, struct trace *take, struct err *err)
{
    *out = (struct relaxed_graph){.trace = *take};
    *take = (struct trace){0};
    struct reading r = {.g = out};
    int result = read_steps(&r, err);
    if (result >= 0 && r.any_mixed) { /* which words are is known only now */
        start_over(&r);
        forget_steps(out);
        result = read_steps(&r, err);
    }
    rank_stores(out);
    start_over(&r);
    map_done(&r.words);
    vec_done(&r.word);
    if (result < 0)
        relaxed_graph_done(out);
    return result;
}

int relaxed_graph_read(struct relaxed_graph *out, const char *run, struct err *err)
{
    struct trace t = {0};
    return trace_open_in(&t, run, err) < 0 ? -1 : relaxed_graph_of(out, &t, err);
}

void relaxed_graph_done(struct relaxed_graph *g)
{
    trace_close(&g->trace);
    forget_steps(g);
}

const struct def_site *relaxed_site(const struct relaxed_graph *g, uint32_t step)
{
    uint32_t site = g->steps.at[step].site;
    return site < g->trace.sites.len ? &g->trace.sites.at[site] : NULL;
}

bool relaxed_has_weaker(const char *run)
{
    AUTO(trace) struct trace t = {0};
    struct err ignored;
    struct ev e;
    bool found = false;
    if (trace_open_in(&t, run, &ignored) < 0)
        return false;
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    int item;
    cursor_init(c, &t);
    while (!found && (item = trace_next_bare(c, &e, &ignored)) > ITEM_END)
        found = item == ITEM_EVENT &&
                (e.kind == EV_FENCE ||
                 (is_atomic_kind(e.kind) && e.order != WORD_VALUE(ORDER, SEQ_CST)));
    free(c);
    return found;
}
