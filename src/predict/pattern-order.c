/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-order: a thread relies on what another one does before or after, and nothing makes
 * them keep that order. A variable that one other thread writes, once, while this one reads
 * it: the read may come too early, before the value is there, or too late, when a pointer has
 * been taken away. A program that tests what it reads is ready for either.
 *
 * Too early, and nothing had been written there before: use before initialisation; so is the
 * use of a sync object that another thread initialises. */
#include "predict/engine.h"

#include <stdlib.h>
#include <string.h>

enum { WRITES_MAX = 4 }; /* of a variable that is written once, and initialised before */

/* A read that may come after a write, if that writes a null pointer. */
struct late {
    ev_id write, read;
};

struct search {
    struct scan *s;
    cell_id cell;
    VEC(struct late) late;
};

/* ---- the write --------------------------------------------------------------------------- */

/* The only write of the cell by another thread that is bound to come neither before r nor after
 * it, or NONE. */
static ev_id free_write(const struct search *h, ev_id r)
{
    const struct predictor *p = h->s->p;
    const struct model *m = p->m;
    ev_id only = NONE;
    for (uint32_t i = m->cell_first[h->cell]; i < m->cell_reads[h->cell]; i++) {
        ev_id w = m->accesses[i];
        bool own = m->ev[w].thr == m->ev[r].thr;
        if (own ? m->idx[w] > m->idx[r] : must_precede(p, w, r) || must_precede(p, r, w))
            continue;
        if (only != NONE || own)
            return NONE;
        only = w;
    }
    return only;
}

/* Does it only put something there? An update reads first. */
static bool is_plain_store(const struct search *h, ev_id w)
{
    const struct model *m = h->s->p->m;
    return !ev_ends_life(m->ev[w].kind) && !model_reads(m, w) &&
           list_first(m, m->accesses + m->cell_reads[h->cell],
                      m->cell_first[h->cell + 1] - m->cell_reads[h->cell], m->ev[w].thr, 0,
                      m->idx[w]) == NONE;
}

/* Did some thread but the writer read the cell before, and was content? */
static bool was_read_before(const struct search *h, ev_id w)
{
    const struct predictor *p = h->s->p;
    const struct model *m = p->m;
    for (uint32_t i = m->cell_reads[h->cell]; i < m->cell_first[h->cell + 1]; i++) {
        ev_id r = m->accesses[i];
        if (r < w && m->ev[r].thr != m->ev[w].thr && !must_precede(p, r, w))
            return true;
    }
    return false;
}

static bool was_written_before(const struct search *h, ev_id w)
{
    const struct model *m = h->s->p->m;
    for (uint32_t i = m->cell_first[h->cell]; i < m->cell_reads[h->cell]; i++)
        if (m->accesses[i] < w)
            return true;
    return false;
}

/* ---- the read ---------------------------------------------------------------------------- */

/* What is in the cell before anybody writes there. */
enum birth {
    BIRTH_UNKNOWN,
    BIRTH_SET,    /* static, with an initial value: as good as written before */
    BIRTH_ZERO,   /* static, or of calloc: may do as a value, but not as a pointer */
    BIRTH_CHANCE, /* a test of it goes any way */
};

static bool begins_set(const struct object *o, uint64_t addr)
{
    uint64_t word = (addr - o->addr) / 8;
    return word / 8 < o->begins.len && o->begins.at[word / 8] >> (word % 8) & 1;
}

static enum birth birth_of(const struct search *h)
{
    static const char *const by_chance[] = {"malloc", "aligned_alloc", "memalign", "_Znwm",
                                            "_Znam"};
    const struct model *m = h->s->p->m;
    obj_id id = m->cells[h->cell].object;
    const struct object *object = id == NONE ? NULL : space_object(m->space, id);
    if (!object)
        return BIRTH_SET; /* of a library, or a thread's own: somebody else's business */
    if (object->is_static)
        return begins_set(object, m->cells[h->cell].addr) ? BIRTH_SET : BIRTH_ZERO;
    if (object->site >= m->trace->sites.len)
        return BIRTH_UNKNOWN;
    struct def_text name = m->trace->sites.at[object->site].name;
    struct text maker = {name.at, name.len};
    if (text_is(maker, TEXT("calloc")))
        return BIRTH_ZERO;
    for (unsigned i = 0; i < sizeof by_chance / sizeof by_chance[0]; i++)
        if (text_is(maker, text_of(by_chance[i])))
            return BIRTH_CHANCE;
    return BIRTH_UNKNOWN;
}

static void ask(struct search *h, ev_id first, ev_id second, const struct pattern *pattern)
{
    ev_id e[] = {first, second};
    struct predicted x = {.pattern = pattern, .query = {.kind = QUERY_ORDER, .count = 2}};
    scan_ask_up_to(h->s, &x, e, 0, first, sites_key(h->s->p, e, 2));
}

/* Atomic values are there to be read at any time. */
static bool is_atomic(const struct search *h, ev_id r, ev_id w)
{
    const struct model *m = h->s->p->m;
    return m->ev[r].kind != EV_READ && m->ev[r].kind != EV_READ_RANGE &&
           m->ev[w].kind != EV_WRITE && m->ev[w].kind != EV_WRITE_RANGE;
}

static void consider_early(struct search *h, ev_id r, ev_id w, enum use use)
{
    if (was_read_before(h, w) || (use != USE_POINTER && is_atomic(h, r, w)))
        return;
    bool written = was_written_before(h, w);
    enum birth birth = written ? BIRTH_UNKNOWN : birth_of(h);
    if (birth == BIRTH_SET)
        return;
    bool raw = !written && (use == USE_POINTER || birth != BIRTH_ZERO);
    ask(h, r, w, raw ? &pattern_uninitialised : &pattern_order);
}

static void consider(struct search *h, ev_id r)
{
    const struct model *m = h->s->p->m;
    if (model_writes(m, r) || intent_ignores(h->s->intent, r))
        return;
    ev_id w = free_write(h, r);
    if (w == NONE || intent_ignores(h->s->intent, w) || !is_plain_store(h, w))
        return;
    ev_id early[] = {r, w}, late[] = {w, r};
    bool is_early = model_source(m, r, h->cell) == w;
    if (!tries_left(&h->s->tries, sites_key(h->s->p, is_early ? early : late, 2)))
        return;
    enum use use = intent_use(h->s->intent, r);
    if (use == USE_POINTER && m->cells[h->cell].len < sizeof(void *))
        use = USE_VALUE; /* too small for one: the store that needs it needs an address too */
    bool is_ready = use == USE_TEST || use == USE_UNKNOWN;
    if (is_early && is_ready && birth_of(h) == BIRTH_CHANCE && !was_written_before(h, w))
        is_ready = false;
    if (is_early && !is_ready)
        consider_early(h, r, w, use);
    else if (!is_early && use == USE_POINTER && r < w)
        vec_push(&h->late, (struct late){w, r});
}

/* ---- null pointers --------------------------------------------------------------------- */

static int by_write(const void *left, const void *right)
{
    const struct late *a = left, *b = right;
    if (a->write != b->write)
        return a->write < b->write ? -1 : 1;
    return (a->read > b->read) - (a->read < b->read);
}

/* Values are not in the model: they are read again, for those that matter. */
static void ask_late(struct search *h)
{
    const struct model *m = h->s->p->m;
    if (h->late.len == 0 || !(m->trace->head.flags & TRACE_VALUES))
        return;
    qsort(h->late.at, h->late.len, sizeof *h->late.at, by_write);
    struct trace_cursor *c = mem_get(sizeof *c);
    struct err err;
    struct ev e;
    uint32_t next = 0;
    int item;
    cursor_init(c, m->trace);
    c->values = true;
    while (next < h->late.len && (item = trace_next(c, &e, &err)) > ITEM_END) {
        if (item != ITEM_EVENT)
            continue;
        for (; next < h->late.len && model_number(m, h->late.at[next].write) == c->number - 1;
             next++)
            if (e.kind == EV_WRITE || e.kind == EV_ATOMIC_STORE ? e.value == 0 : false)
                ask(h, h->late.at[next].write, h->late.at[next].read, &pattern_order);
    }
    free(c);
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    struct search h = {.s = s};
    for (h.cell = 0; h.cell < m->cell_count && !scan_stops(s); h.cell++) {
        uint32_t writes = m->cell_reads[h.cell] - m->cell_first[h.cell];
        if (writes == 0 || writes > WRITES_MAX)
            continue;
        for (uint32_t i = m->cell_reads[h.cell]; i < m->cell_first[h.cell + 1]; i++)
            consider(&h, m->accesses[i]);
    }
    ask_late(&h);
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++)
        if (m->ev[e].kind == EV_INIT)
            uses_before(s, e);
    vec_done(&h.late);
}

const struct pattern pattern_order = {
    .id = PATTERN_ORDER,
    .scan = scan,
};

const struct pattern pattern_uninitialised = {
    .id = PATTERN_UNINITIALISED,
};
