/* SPDX-License-Identifier: Apache-2.0
 *
 * object: what we know about the target's sync objects, by address. Objects come to be when
 * they are first used (a static initialiser calls nobody) and go with destroy.
 * The index is a hash table with linear probing that says which object, plus 1. */
#include "rt/rt.h"

enum { INDEX_MASK = 2 * OBJECTS_MAX - 1 };

/* Objects that lie together are found together: a table of locks stays in the cache. What is
 * apart by a MiB or more is scattered, or the same local of many threads would meet. */
static uint32_t slot_of(uint64_t addr)
{
    return (uint32_t)((addr >> 2) + (addr >> 20) * 0x9e3779b1) & INDEX_MASK;
}

static uint32_t probe(uint64_t addr)
{
    uint32_t i = slot_of(addr);
    while (rt.object_index[i] && rt.objects[rt.object_index[i] - 1].addr != addr)
        i = (i + 1) & INDEX_MASK;
    return i;
}

void obj_reset(struct obj *o)
{
    *o = (struct obj){.addr = o->addr, .class = o->class, .owner = NO_ID, .reader_head = NO_ID};
}

static struct obj *object_new(uint64_t addr, uint32_t slot)
{
    uint32_t i = rt.free_object;
    if (i != NO_ID)
        rt.free_object = rt.objects[i].need;
    else if ((i = rt.object_used++) >= OBJECTS_MAX)
        outcome_unsupported("more than 1048576 sync objects");
    rt.object_index[slot] = i + 1;
    rt.objects[i].addr = addr;
    return &rt.objects[i];
}

struct obj *obj_find(const volatile void *p, unsigned class)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;
    uint32_t index = rt.object_index[probe(addr)];
    return index && rt.objects[index - 1].class == class + 1 ? &rt.objects[index - 1] : NULL;
}

struct obj *obj_get(const volatile void *p, unsigned class)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;
    struct obj *o = rt.object_last;
    if (LIKELY(o && o->addr == addr && o->class == class + 1))
        return o;
    uint32_t slot = probe(addr), index = rt.object_index[slot];
    o = index ? &rt.objects[index - 1] : object_new(addr, slot);
    if (o->class != class + 1) { /* new, or the memory is used for something else now */
        o->class = (uint8_t)(class + 1);
        obj_reset(o);
    }
    rt.object_last = o;
    return o;
}

/* Closes the gap so that no later probe stops at it. */
static void index_remove(uint32_t gap)
{
    for (uint32_t i = (gap + 1) & INDEX_MASK; rt.object_index[i]; i = (i + 1) & INDEX_MASK) {
        uint32_t home = slot_of(rt.objects[rt.object_index[i] - 1].addr);
        if (((i - home) & INDEX_MASK) < ((i - gap) & INDEX_MASK))
            continue;
        rt.object_index[gap] = rt.object_index[i];
        gap = i;
    }
    rt.object_index[gap] = 0;
}

void obj_drop(struct obj *o)
{
    if (o->first) { /* destroyed under its waiters: they keep the state they wait for */
        return;
    }
    index_remove(probe(o->addr));
    if (rt.object_last == o)
        rt.object_last = NULL;
    *o = (struct obj){.need = rt.free_object};
    rt.free_object = (uint32_t)(o - rt.objects);
}

struct read_hold *read_find(struct obj *o, const struct thr *t)
{
    for (uint32_t i = o->reader_head; i != NO_ID; i = rt.reads[i].next)
        if (rt.reads[i].thr == t)
            return &rt.reads[i];
    return NULL;
}

void read_add(struct obj *o, struct thr *t, struct __heddle_site *site)
{
    o->readers++;
    struct read_hold *h = read_find(o, t);
    if (h) {
        h->count++;
        return;
    }
    uint32_t i = rt.free_read;
    if (i != NO_ID)
        rt.free_read = rt.reads[i].next;
    else if ((i = rt.read_count++) >= OBJECTS_MAX)
        outcome_unsupported("more than 1048576 read locks held");
    rt.reads[i] = (struct read_hold){t, site, 1, o->reader_head};
    o->reader_head = i;
}

void read_remove(struct obj *o, struct read_hold *h)
{
    o->readers--;
    if (--h->count)
        return;
    uint32_t index = (uint32_t)(h - rt.reads), *link = &o->reader_head;
    while (*link != index)
        link = &rt.reads[*link].next;
    *link = h->next;
    h->next = rt.free_read;
    rt.free_read = index;
}
