/* SPDX-License-Identifier: Apache-2.0
 *
 * space: which object an address belongs to, at a point of the trace. Live objects hang in a
 * chain for each page they touch; the few that span many pages stand in a list of their own.
 * An object stays known after its end until another one takes its place: what is done to
 * memory after its free is best told by the name of what was freed. */
#include "trace/trace.h"

/* Pages of three sizes: an object hangs in pages of the first size of which it needs few. */
enum { LEVELS = 3, CHAINED_PAGES_MAX = 64 };
static const unsigned page_bits[LEVELS] = {9, 16, 23}; /* 512 bytes, 64 KiB, 8 MiB */

struct link {
    obj_id object;
    uint32_t next; /* in links, or NONE */
};

struct space {
    VEC(struct object) objects; /* all that ever lived */
    VEC(struct link) links;
    uint32_t free_link;    /* chain of unused links, or NONE */
    struct map pages;      /* page -> first link */
    VEC(obj_id) large;     /* those that need many pages of any size */
    struct map same_names; /* hash of a name -> objects of that name */
    struct map at_site;    /* thread and site -> allocations there */
    uint32_t heap_count, stack_count;
};

struct space *space_new(void)
{
    struct space *s = mem_get(sizeof *s);
    *s = (struct space){.free_link = NONE};
    return s;
}

void space_free(struct space *s)
{
    if (!s)
        return;
    vec_done(&s->objects);
    vec_done(&s->links);
    vec_done(&s->large);
    map_done(&s->pages);
    map_done(&s->same_names);
    map_done(&s->at_site);
    free(s);
}

static bool holds(const struct object *o, uint64_t addr)
{
    return addr - o->addr < o->size;
}

static uint64_t page_key(unsigned level, uint64_t page)
{
    return page << 2 | level;
}

static uint64_t page_of(unsigned level, uint64_t addr)
{
    return addr >> page_bits[level];
}

static uint64_t last_byte(const struct object *o)
{
    return o->addr + o->size - 1;
}

/* LEVELS: it needs many pages of any size. */
static unsigned level_of(const struct object *o)
{
    unsigned level = 0;
    while (level < LEVELS &&
           page_of(level, last_byte(o)) - page_of(level, o->addr) >= CHAINED_PAGES_MAX)
        level++;
    return level;
}

obj_id space_find(const struct space *s, uint64_t addr)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t i = map_find(&s->pages, page_key(level, page_of(level, addr)));
        for (; i != NONE; i = s->links.at[i].next)
            if (holds(&s->objects.at[s->links.at[i].object], addr))
                return s->links.at[i].object;
    }
    for (uint32_t i = s->large.len; i-- > 0;)
        if (holds(&s->objects.at[s->large.at[i]], addr))
            return s->large.at[i];
    return NONE;
}

/* ---- objects that a stretch of memory meets ------------------------------------------- */

typedef VEC(obj_id) obj_ids;

static void meet(const struct space *s, uint32_t link, uint64_t from, uint64_t to, obj_ids *out)
{
    for (; link != NONE; link = s->links.at[link].next) {
        const struct object *o = &s->objects.at[s->links.at[link].object];
        if (o->addr <= to && last_byte(o) >= from)
            vec_push(out, s->links.at[link].object);
    }
}

/* All known objects with a byte in [from, to]; some may come twice. */
static void space_meets(const struct space *s, uint64_t from, uint64_t to, obj_ids *out)
{
    for (uint32_t i = 0; i < s->large.len; i++) {
        const struct object *o = &s->objects.at[s->large.at[i]];
        if (o->addr <= to && last_byte(o) >= from)
            vec_push(out, s->large.at[i]);
    }
    uint64_t pages = 0;
    for (unsigned level = 0; level < LEVELS; level++)
        pages += page_of(level, to) - page_of(level, from) + 1;
    if (pages > s->pages.cap) { /* more than there are: go through those there are */
        for (uint32_t i = 0; i < s->pages.cap; i++)
            meet(s, s->pages.at[i].value, from, to, out);
        return;
    }
    for (unsigned level = 0; level < LEVELS; level++)
        for (uint64_t p = page_of(level, from); p <= page_of(level, to); p++)
            meet(s, map_find(&s->pages, page_key(level, p)), from, to, out);
}

/* Lowest start of an object in (addr, end), else end. */
static uint64_t next_start(const struct space *s, uint64_t addr, uint64_t end)
{
    obj_ids met = {0};
    space_meets(s, addr, end - 1, &met);
    for (uint32_t i = 0; i < met.len; i++) {
        uint64_t start = s->objects.at[met.at[i]].addr;
        if (start > addr && start < end)
            end = start;
    }
    vec_done(&met);
    return end;
}

uint64_t space_until(const struct space *s, uint64_t addr, uint64_t end)
{
    obj_id id = space_find(s, addr);
    if (id == NONE)
        return next_start(s, addr, end);
    uint64_t object_end = last_byte(&s->objects.at[id]) + 1;
    return object_end < end ? object_end : end;
}

/* ---- births and ends ------------------------------------------------------------------ */

static void chain_add(struct space *s, uint64_t key, obj_id id)
{
    uint32_t at = s->free_link;
    if (at == NONE) {
        at = s->links.len;
        vec_push(&s->links, (struct link){0});
    } else {
        s->free_link = s->links.at[at].next;
    }
    uint32_t *first = map_at(&s->pages, key);
    s->links.at[at] = (struct link){id, *first};
    *first = at;
}

static void chain_remove(struct space *s, uint64_t key, obj_id id)
{
    uint32_t before = NONE, at = map_find(&s->pages, key);
    while (s->links.at[at].object != id) {
        before = at;
        at = s->links.at[at].next;
    }
    uint32_t next = s->links.at[at].next;
    if (before != NONE)
        s->links.at[before].next = next;
    else if (next != NONE)
        *map_at(&s->pages, key) = next;
    else
        map_remove(&s->pages, key);
    s->links.at[at].next = s->free_link;
    s->free_link = at;
}

static void object_end(struct space *s, obj_id id)
{
    struct object *o = &s->objects.at[id];
    unsigned level = level_of(o);
    if (o->is_gone)
        return;
    o->is_gone = true;
    if (level < LEVELS) {
        for (uint64_t p = page_of(level, o->addr); p <= page_of(level, last_byte(o)); p++)
            chain_remove(s, page_key(level, p), id);
        return;
    }
    for (uint32_t i = 0; i < s->large.len; i++)
        if (s->large.at[i] == id) {
            s->large.at[i] = s->large.at[--s->large.len];
            return;
        }
}

static void object_begin(struct space *s, struct object o)
{
    obj_id id = s->objects.len;
    obj_ids met = {0};
    if (o.size == 0)
        o.size = 1; /* malloc(0) has an address of its own */
    space_meets(s, o.addr, last_byte(&o), &met);
    for (uint32_t i = 0; i < met.len; i++)
        object_end(s, met.at[i]);
    vec_done(&met);
    vec_push(&s->objects, o);
    unsigned level = level_of(&o);
    if (level == LEVELS) {
        vec_push(&s->large, id);
        return;
    }
    for (uint64_t p = page_of(level, o.addr); p <= page_of(level, last_byte(&o)); p++)
        chain_add(s, page_key(level, p), id);
}

static uint32_t count_up(struct map *m, uint64_t key)
{
    uint32_t *n = map_at(m, key);
    uint32_t before = *n == NONE ? 0 : *n;
    *n = before + 1;
    return before;
}

static void begin_static(struct space *s, const struct def_object *d)
{
    struct text name = {d->name.at, d->name.len};
    object_begin(
        s, (struct object){.class = d->class,
                           .is_static = true,
                           .site = NO_ID,
                           .thr = NO_ID,
                           .same = count_up(&s->same_names, hash_bytes(name.at, name.len)),
                           .addr = d->addr,
                           .size = d->size,
                           .name = name,
                           .begins = {d->begins.at, d->begins.len}});
}

static void begin_block(struct space *s, const struct ev *e)
{
    bool heap = e->kind == EV_ALLOC;
    uint64_t where = (uint64_t)e->thr << 33 | (uint64_t)heap << 32 | e->site;
    object_begin(
        s, (struct object){.class = heap ? WORD_VALUE(CLASS, HEAP) : WORD_VALUE(CLASS, STACK),
                           .site = e->site,
                           .thr = e->thr,
                           .ordinal = heap ? s->heap_count++ : s->stack_count++,
                           .at_site = count_up(&s->at_site, where),
                           .addr = e->addr,
                           .size = e->len});
}

void space_feed(struct space *s, const struct trace_cursor *c, int item, const struct ev *e)
{
    if (item == ITEM_OBJECT)
        begin_static(s, &c->t->objects.at[c->object_count - 1]);
    if (item == ITEM_EVENT && (e->kind == EV_ALLOC || e->kind == EV_STACK_ENTER))
        begin_block(s, e);
}

const struct object *space_object(const struct space *s, obj_id id)
{
    return &s->objects.at[id];
}

uint32_t space_count(const struct space *s)
{
    return s->objects.len;
}

size_t space_bytes(const struct space *s)
{
    return sizeof *s->objects.at * s->objects.len + sizeof *s->links.at * s->links.len +
           sizeof *s->pages.at * s->pages.cap;
}
