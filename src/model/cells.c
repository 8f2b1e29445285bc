/* SPDX-License-Identifier: Apache-2.0
 *
 * cells: see cells.h. Shapes inside one 8-byte word hang at its halves in a page table, so that
 * the common access costs one look-up; longer ones and those across words are found by hash.
 * Shapes of one object form a family. A family in which no two shapes can overlap needs no
 * cutting: each shape is a cell. */
#include "model/cells.h"

#include "base/search.h"

#include <string.h>

struct memory *memory_new(struct space *space)
{
    struct memory *m = mem_get(sizeof *m);
    *m = (struct memory){.space = space};
    vec_push(&m->shapes, (struct shape){0}); /* 0 = no shape */
    return m;
}

void memory_free(struct memory *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->pages.len; i++)
        free(m->pages.at[i]);
    vec_done(&m->pages);
    vec_done(&m->shapes);
    vec_done(&m->families);
    map_done(&m->page_of);
    map_done(&m->range_of);
    free(m);
}

/* ---- finding and making shapes --------------------------------------------------------- */

static struct page *page_find(struct memory *m, uint64_t addr)
{
    uint64_t number = addr / PAGE_BYTES;
    uint32_t at = number % PAGE_CACHE;
    if (m->cached[at] == number + 1)
        return m->cache[at];
    uint32_t i = map_find(&m->page_of, number);
    if (i == NONE)
        return NULL;
    m->cached[at] = number + 1;
    return m->cache[at] = m->pages.at[i];
}

static struct page *page_get(struct memory *m, uint64_t addr)
{
    struct page *p = page_find(m, addr);
    if (p)
        return p;
    p = mem_get(sizeof *p);
    memset(p, 0, sizeof *p);
    *map_at(&m->page_of, addr / PAGE_BYTES) = m->pages.len;
    vec_push(&m->pages, p);
    return p;
}

static struct family *family_of(struct memory *m, obj_id object)
{
    uint32_t i = object == NONE ? 0 : object + 1;
    while (m->families.len <= i)
        vec_push(&m->families, (struct family){0});
    return &m->families.at[i];
}

static shape_id shape_add(struct memory *m, struct shape s, bool overlaps)
{
    struct family *f = family_of(m, s.object);
    shape_id id = m->shapes.len;
    CHECK(id < UINT32_MAX - 1);
    s.sibling = f->first;
    f->first = id;
    f->mixed |= overlaps;
    vec_push(&m->shapes, s);
    return id;
}

static inline shape_id touched(struct memory *m, shape_id id, uint32_t thr)
{
    struct shape *s = &m->shapes.at[id];
    if (s->thr != thr)
        s->flags |= SHAPE_SHARED;
    return id;
}

static struct half *half_at(struct memory *m, uint64_t addr)
{
    return &page_get(m, addr)->half[addr % PAGE_BYTES / HALF_BYTES];
}

static void half_lead(const struct memory *m, struct half *h, shape_id id, uint8_t extent)
{
    const struct shape *s = &m->shapes.at[id];
    *h = (struct half){id, s->thr, extent, s->flags & SHAPE_SHARED};
}

static bool meets(const struct memory *m, const struct half *h, uint64_t addr, uint64_t len)
{
    for (shape_id id = h->first; id; id = m->shapes.at[id].next) {
        const struct shape *s = &m->shapes.at[id];
        if (s->len > 0 && s->addr < addr + len && addr < s->addr + s->len)
            return true;
    }
    return false;
}

/* Whether [addr, addr + len), inside a word, meets another shape inside that word. */
static bool meets_any(struct memory *m, uint64_t addr, uint64_t len)
{
    const struct half *low = half_at(m, addr & ~(uint64_t)(WORD_BYTES - 1));
    return meets(m, low, addr, len) || meets(m, low + 1, addr, len);
}

/* A shape that was not the last one accessed here, brought to the front. */
static shape_id half_other(struct memory *m, struct half *h, uint64_t addr, uint64_t len)
{
    for (shape_id *at = &h->first; *at; at = &m->shapes.at[*at].next) {
        shape_id id = *at;
        if (m->shapes.at[id].addr != addr || m->shapes.at[id].len != len)
            continue;
        *at = m->shapes.at[id].next;
        m->shapes.at[id].next = h->first;
        return h->first = id;
    }
    return 0;
}

static shape_id word_shape(struct memory *m, uint64_t addr, uint64_t len, uint32_t thr)
{
    struct half *h = half_at(m, addr);
    uint8_t extent = (uint8_t)(addr % WORD_BYTES << 4 | len);
    if (h->extent == extent && (h->shared || h->thr == thr))
        return h->first;
    shape_id id = half_other(m, h, addr, len);
    if (!id)
        id = shape_add(m,
                       (struct shape){.addr = addr,
                                      .len = len,
                                      .next = h->first,
                                      .object = space_find(m->space, addr),
                                      .thr = (uint16_t)thr},
                       meets_any(m, addr, len));
    touched(m, id, thr);
    half_lead(m, h, id, extent);
    return id;
}

static shape_id range_shape(struct memory *m, uint64_t addr, uint64_t len, uint32_t thr)
{
    obj_id object = space_find(m->space, addr);
    uint32_t *head =
        map_at(&m->range_of, hash_u64(hash_u64(addr) ^ len) ^ (uint64_t)object << 32);
    shape_id first = *head == NONE ? 0 : *head;
    for (shape_id id = first; id; id = m->shapes.at[id].next) {
        const struct shape *s = &m->shapes.at[id];
        if (s->addr == addr && s->len == len && s->object == object)
            return touched(m, id, thr);
    }
    return *head = shape_add(m,
                             (struct shape){.addr = addr,
                                            .len = len,
                                            .next = first,
                                            .object = object,
                                            .thr = (uint16_t)thr},
                             true);
}

shape_id memory_shape(struct memory *m, uint64_t addr, uint64_t len, uint32_t thr)
{
    if (addr % WORD_BYTES + len <= WORD_BYTES)
        return word_shape(m, addr, len, thr);
    return range_shape(m, addr, len, thr);
}

uint64_t memory_piece(const struct memory *m, uint64_t addr, uint64_t len)
{
    return space_until(m->space, addr, addr + len) - addr;
}

shape_id memory_sync(struct memory *m, uint64_t addr, enum acts_on on, uint32_t thr)
{
    struct half *h = half_at(m, addr);
    shape_id some = 0;
    for (shape_id id = h->first; id; id = m->shapes.at[id].next) {
        const struct shape *s = &m->shapes.at[id];
        if (s->addr != addr || s->len > 0)
            continue;
        if (s->on == (on == ON_SYNC ? ON_LOCK : on))
            return touched(m, id, thr);
        some = id;
    }
    if (on == ON_SYNC && some)
        return touched(m, some, thr);
    if (on == ON_SYNC)
        on = ON_LOCK;
    shape_id id = shape_add(m,
                            (struct shape){.addr = addr,
                                           .next = h->first,
                                           .object = space_find(m->space, addr),
                                           .thr = (uint16_t)thr,
                                           .on = (uint8_t)on},
                            false);
    half_lead(m, h, id, (uint8_t)(addr % WORD_BYTES << 4)); /* length 0: no access */
    return id;
}

void memory_class(struct memory *m, shape_id id, uint8_t class)
{
    struct shape *s = &m->shapes.at[id];
    s->flags = (uint8_t)((s->flags & SHAPE_SHARED) | class << SHAPE_CLASS_SHIFT);
}

void memory_anew(struct memory *m, uint64_t addr)
{
    for (shape_id *at = &half_at(m, addr)->first; *at;) {
        const struct shape *s = &m->shapes.at[*at];
        if (s->addr == addr && s->len == 0)
            *at = s->next;
        else
            at = &m->shapes.at[*at].next;
    }
    half_at(m, addr)->extent = 0;
}

void memory_share_syncs(struct memory *m, obj_id object, uint32_t thr)
{
    shape_id next;
    for (shape_id id = family_of(m, object)->first; id; id = next) {
        struct shape s = m->shapes.at[id];
        next = s.sibling;
        if (s.len > 0 || (s.thr == thr && !(s.flags & SHAPE_SHARED)))
            continue;
        memory_shape(m, s.addr, 1, thr);
        memory_shape(m, s.addr, 1, thr + 1); /* whoever that is */
    }
}

/* ---- lives ------------------------------------------------------------------------------- */

/* Forgets the shapes that [from, to) meets. */
static void half_forget(struct memory *m, struct half *h, uint64_t from, uint64_t to)
{
    for (shape_id *at = &h->first; *at;) {
        const struct shape *s = &m->shapes.at[*at];
        if (s->addr < to && s->addr + (s->len ? s->len : 1) > from)
            *at = s->next;
        else
            at = &m->shapes.at[*at].next;
    }
    h->extent = 0;
}

static void page_forget(struct memory *m, struct page *p, uint64_t base, uint64_t from,
                        uint64_t to)
{
    uint64_t low = from > base ? (from - base) & ~(uint64_t)(WORD_BYTES - 1) : 0;
    uint64_t high = to - base < PAGE_BYTES ? to - base : PAGE_BYTES;
    for (uint64_t i = low / HALF_BYTES; i * HALF_BYTES < high; i++)
        if (p->half[i].first)
            half_forget(m, &p->half[i], from, to);
}

void memory_begin(struct memory *m, uint64_t addr, uint64_t len)
{
    uint64_t end = addr + len, first = addr / PAGE_BYTES, last = (end - (len > 0)) / PAGE_BYTES;
    if (last - first <= m->pages.len) {
        for (uint64_t n = first; n <= last; n++) {
            struct page *p = page_find(m, n * PAGE_BYTES);
            if (p)
                page_forget(m, p, n * PAGE_BYTES, addr, end);
        }
        return;
    }
    /* more pages than were ever touched: go through those instead */
    for (uint32_t i = 0; i < m->page_of.cap; i++) {
        uint64_t n = m->page_of.at[i].key;
        if (m->page_of.at[i].value != NONE && n >= first && n <= last)
            page_forget(m, m->pages.at[m->page_of.at[i].value], n * PAGE_BYTES, addr, end);
    }
}

/* ---- cutting ----------------------------------------------------------------------------- */

/* Between two neighbouring boundaries of a family. */
struct piece {
    uint64_t addr;
    uint32_t thr; /* who touches it: NONE = nobody */
    cell_id cell; /* NONE = not kept */
    bool shared;
};

struct cutter {
    struct memory *m; /* borrowed */
    bool all;
    VEC(struct cell) cells;
    VEC(struct span) spans;
    VEC(struct sync) syncs;
    VEC(struct piece) pieces; /* of the family at hand; the last one only ends the one before */
    uint32_t *obj_of;
};

/* Spans are marked until the number of cells is known. */
#define SPAN_MARK 0x80000000u

static int by_addr(const void *a, const void *b)
{
    uint64_t x = ((const struct piece *)a)->addr, y = ((const struct piece *)b)->addr;
    return x < y ? -1 : x > y;
}

static uint32_t piece_at(const struct cutter *k, uint64_t addr)
{
    uint32_t behind = SEARCH(i, 0, k->pieces.len, k->pieces.at[i].addr <= addr);
    return behind ? behind - 1 : 0;
}

static void pieces_of(struct cutter *k, shape_id first)
{
    k->pieces.len = 0;
    for (shape_id id = first; id; id = k->m->shapes.at[id].sibling) {
        const struct shape *s = &k->m->shapes.at[id];
        if (s->len == 0)
            continue;
        vec_push(&k->pieces, (struct piece){s->addr, NONE, NONE, false});
        vec_push(&k->pieces, (struct piece){s->addr + s->len, NONE, NONE, false});
    }
    qsort(k->pieces.at, k->pieces.len, sizeof *k->pieces.at, by_addr);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->pieces.len; i++)
        if (kept == 0 || k->pieces.at[kept - 1].addr != k->pieces.at[i].addr)
            k->pieces.at[kept++] = k->pieces.at[i];
    k->pieces.len = kept;
}

static void touch_pieces(struct cutter *k, const struct shape *s)
{
    for (uint32_t i = piece_at(k, s->addr); k->pieces.at[i].addr < s->addr + s->len; i++) {
        struct piece *p = &k->pieces.at[i];
        if ((s->flags & SHAPE_SHARED) || (p->thr != NONE && p->thr != s->thr))
            p->shared = true;
        p->thr = s->thr;
    }
}

static uint32_t cell_len(uint64_t len)
{
    return len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
}

static void cells_of_pieces(struct cutter *k, obj_id object)
{
    for (uint32_t i = 0; i + 1 < k->pieces.len; i++) {
        struct piece *p = &k->pieces.at[i];
        if (p->thr == NONE || !(p->shared || k->all))
            continue;
        p->cell = k->cells.len;
        vec_push(&k->cells, (struct cell){p->addr, cell_len(p[1].addr - p->addr), object});
    }
}

static uint32_t obj_of_pieces(struct cutter *k, const struct shape *s)
{
    cell_id first = NONE;
    uint32_t count = 0;
    for (uint32_t i = piece_at(k, s->addr); k->pieces.at[i].addr < s->addr + s->len; i++) {
        if (k->pieces.at[i].cell == NONE)
            continue;
        if (count++ == 0)
            first = k->pieces.at[i].cell;
    }
    if (count <= 1)
        return first;
    vec_push(&k->spans, (struct span){first, count});
    return SPAN_MARK | (k->spans.len - 1);
}

static void cut_mixed(struct cutter *k, const struct family *f, obj_id object)
{
    pieces_of(k, f->first);
    for (shape_id id = f->first; id; id = k->m->shapes.at[id].sibling)
        if (k->m->shapes.at[id].len > 0)
            touch_pieces(k, &k->m->shapes.at[id]);
    cells_of_pieces(k, object);
    for (shape_id id = f->first; id; id = k->m->shapes.at[id].sibling)
        if (k->m->shapes.at[id].len > 0)
            k->obj_of[id] = obj_of_pieces(k, &k->m->shapes.at[id]);
}

static void cut_plain(struct cutter *k, const struct family *f, obj_id object)
{
    for (shape_id id = f->first; id; id = k->m->shapes.at[id].sibling) {
        const struct shape *s = &k->m->shapes.at[id];
        if (s->len == 0 || !(k->all || (s->flags & SHAPE_SHARED)))
            continue;
        k->obj_of[id] = k->cells.len;
        vec_push(&k->cells, (struct cell){s->addr, cell_len(s->len), object});
    }
}

/* What the events said, else what the object was defined as, else what it is used as. */
static uint8_t class_of(const struct memory *m, const struct shape *s)
{
    if (s->flags >> SHAPE_CLASS_SHIFT)
        return s->flags >> SHAPE_CLASS_SHIFT;
    if (s->object != NONE && s->on == ON_LOCK) {
        const struct object *o = space_object(m->space, s->object);
        if (o->class >= WORD_VALUE(CLASS, MUTEX) && o->class <= WORD_VALUE(CLASS, SPIN))
            return o->class;
    }
    return class_of_use(s->on);
}

static void number_syncs(struct cutter *k)
{
    for (shape_id id = 1; id < k->m->shapes.len; id++) {
        const struct shape *s = &k->m->shapes.at[id];
        if (s->len > 0)
            continue;
        k->obj_of[id] = k->syncs.len;
        vec_push(&k->syncs, (struct sync){.addr = s->addr,
                                          .object = s->object,
                                          .class = class_of(k->m, s),
                                          .on = s->on});
    }
}

void memory_cut(struct memory *m, bool all, struct cutting *out)
{
    struct cutter k = {.m = m, .all = all};
    k.obj_of = mem_get(sizeof *k.obj_of * m->shapes.len);
    memset(k.obj_of, 0xff, sizeof *k.obj_of * m->shapes.len);
    for (uint32_t i = 0; i < m->families.len; i++) {
        const struct family *f = &m->families.at[i];
        if (f->first)
            (f->mixed ? cut_mixed : cut_plain)(&k, f, i == 0 ? NONE : i - 1);
    }
    for (shape_id id = 1; id < m->shapes.len; id++)
        if (k.obj_of[id] != NONE && (k.obj_of[id] & SPAN_MARK))
            k.obj_of[id] = k.cells.len + (k.obj_of[id] & ~SPAN_MARK);
    number_syncs(&k);
    vec_done(&k.pieces);
    *out = (struct cutting){.cells = k.cells.at,
                            .spans = k.spans.at,
                            .cell_count = k.cells.len,
                            .span_count = k.spans.len,
                            .obj_of = k.obj_of,
                            .syncs = k.syncs.at,
                            .sync_count = k.syncs.len};
}
