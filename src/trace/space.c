/* SPDX-License-Identifier: Apache-2.0
 *
 * space: which object an address belongs to, at a point of the trace. Live objects hang in a
 * chain for each page they touch; the few that span many pages stand in a list of their own.
 * An object stays known after its end until another one takes its place: what is done to
 * memory after its free is best told by the name of what was freed. */
#include "trace/trace.h"

/* Small pages: a chain is searched from its head, and globals stand close together. */
enum { PAGE_BITS = 9, CHAINED_PAGES_MAX = 64 };

struct link {
    obj_id object;
    uint32_t next; /* in links, or NONE */
};

struct space {
    VEC(struct object) objects; /* all that ever lived */
    VEC(struct link) links;
    uint32_t free_link;    /* chain of unused links, or NONE */
    struct map pages;      /* page -> first link */
    VEC(obj_id) large;     /* live, more than CHAINED_PAGES_MAX pages */
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

obj_id space_find(const struct space *s, uint64_t addr)
{
    for (uint32_t i = map_find(&s->pages, addr >> PAGE_BITS); i != NONE;
         i = s->links.at[i].next)
        if (holds(&s->objects.at[s->links.at[i].object], addr))
            return s->links.at[i].object;
    for (uint32_t i = s->large.len; i-- > 0;)
        if (holds(&s->objects.at[s->large.at[i]], addr))
            return s->large.at[i];
    return NONE;
}

static void lower_to_start(const struct space *s, obj_id id, uint64_t addr, uint64_t *end)
{
    uint64_t start = s->objects.at[id].addr;
    if (start > addr && start < *end)
        *end = start;
}

static void lower_on_page(const struct space *s, uint32_t link, uint64_t addr, uint64_t *end)
{
    for (; link != NONE; link = s->links.at[link].next)
        lower_to_start(s, s->links.at[link].object, addr, end);
}

/* Lowest start of an object in (addr, end), else end. */
static uint64_t next_start(const struct space *s, uint64_t addr, uint64_t end)
{
    uint64_t first = addr >> PAGE_BITS, last = (end - 1) >> PAGE_BITS;
    for (uint32_t i = 0; i < s->large.len; i++)
        lower_to_start(s, s->large.at[i], addr, &end);
    if (last - first < s->pages.cap) {
        for (uint64_t p = first; p <= (end - 1) >> PAGE_BITS; p++)
            lower_on_page(s, map_find(&s->pages, p), addr, &end);
        return end;
    }
    /* more pages than there are: go through those there are */
    for (uint32_t i = 0; i < s->pages.cap; i++)
        lower_on_page(s, s->pages.at[i].value, addr, &end);
    return end;
}

uint64_t space_until(const struct space *s, uint64_t addr, uint64_t end)
{
    obj_id id = space_find(s, addr);
    if (id == NONE)
        return next_start(s, addr, end);
    uint64_t object_end = s->objects.at[id].addr + s->objects.at[id].size;
    return object_end < end ? object_end : end;
}

static uint64_t first_page(const struct object *o)
{
    return o->addr >> PAGE_BITS;
}

static uint64_t last_page(const struct object *o)
{
    return (o->addr + o->size - 1) >> PAGE_BITS;
}

static bool is_large(const struct object *o)
{
    return last_page(o) - first_page(o) >= CHAINED_PAGES_MAX;
}

static void chain_add(struct space *s, uint64_t page, obj_id id)
{
    uint32_t at = s->free_link;
    if (at == NONE) {
        at = s->links.len;
        vec_push(&s->links, (struct link){0});
    } else {
        s->free_link = s->links.at[at].next;
    }
    uint32_t *first = map_at(&s->pages, page);
    s->links.at[at] = (struct link){id, *first};
    *first = at;
}

static void chain_remove(struct space *s, uint64_t page, obj_id id)
{
    uint32_t before = NONE, at = map_find(&s->pages, page);
    while (s->links.at[at].object != id) {
        before = at;
        at = s->links.at[at].next;
    }
    uint32_t next = s->links.at[at].next;
    if (before != NONE)
        s->links.at[before].next = next;
    else if (next != NONE)
        *map_at(&s->pages, page) = next;
    else
        map_remove(&s->pages, page);
    s->links.at[at].next = s->free_link;
    s->free_link = at;
}

static void object_end(struct space *s, obj_id id)
{
    const struct object *o = &s->objects.at[id];
    if (!is_large(o)) {
        for (uint64_t p = first_page(o); p <= last_page(o); p++)
            chain_remove(s, p, id);
        return;
    }
    for (uint32_t i = 0; i < s->large.len; i++)
        if (s->large.at[i] == id) {
            s->large.at[i] = s->large.at[--s->large.len];
            return;
        }
}

static bool overlap(const struct object *a, const struct object *b)
{
    return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static void end_overlapped_on(struct space *s, uint64_t page, const struct object *o)
{
    for (uint32_t i = map_find(&s->pages, page); i != NONE;) {
        obj_id id = s->links.at[i].object;
        i = s->links.at[i].next;
        if (overlap(&s->objects.at[id], o))
            object_end(s, id);
    }
}

/* A large newcomer ends small objects lazily: space_find prefers them, which is only right
 * while they live; so look through the pages that have any. */
static void end_overlapped(struct space *s, const struct object *o)
{
    for (uint32_t i = s->large.len; i-- > 0;)
        if (overlap(&s->objects.at[s->large.at[i]], o))
            object_end(s, s->large.at[i]);
    if (last_page(o) - first_page(o) <= s->pages.cap) {
        for (uint64_t p = first_page(o); p <= last_page(o); p++)
            end_overlapped_on(s, p, o);
        return;
    }
    for (obj_id id = 0; id < s->objects.len; id++)
        if (overlap(&s->objects.at[id], o) && space_find(s, s->objects.at[id].addr) == id)
            object_end(s, id);
}

static void object_begin(struct space *s, struct object o)
{
    obj_id id = s->objects.len;
    if (o.size == 0)
        o.size = 1; /* malloc(0) has an address of its own */
    end_overlapped(s, &o);
    vec_push(&s->objects, o);
    if (is_large(&o)) {
        vec_push(&s->large, id);
        return;
    }
    for (uint64_t p = first_page(&o); p <= last_page(&o); p++)
        chain_add(s, p, id);
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
                           .name = name});
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
