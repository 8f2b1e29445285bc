/* SPDX-License-Identifier: Apache-2.0
 *
 * object: what we know about the target's sync objects, by address. Objects come to be when
 * they are first used (a static initialiser calls nobody) and go with destroy. A lock may also
 * end with its memory, locked, and another one begin there: see below.
 * The index is a hash table with linear probing that says which object, plus 1. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

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

/* Something else begins at its address. Whoever waits for what was there is woken by nobody. */
void obj_reset(struct obj *o)
{
    if (UNLIKELY(o->first != NULL))
        sched_leave_waiting(o);
    *o = (struct obj){.addr = o->addr,
                      .class = o->class,
                      .owner = NO_ID,
                      .reader_head = NO_ID,
                      .wanted = o->wanted};
}

static struct obj *object_new(uint64_t addr, uint32_t slot)
{
    uint32_t i = rt.free_object;
    if (i != NO_ID)
        rt.free_object = rt.objects[i].need;
    else if ((i = rt.object_used++) >= OBJECTS_MAX)
        outcome_unsupported("more than 1048576 sync objects");
    CHECK(i < rt.object_used && !rt.object_index[slot]);
    CHECK(!rt.objects[i].addr && !rt.objects[i].first);
    rt.object_index[slot] = i + 1;
    rt.objects[i] = (struct obj){.addr = addr, .owner = NO_ID, .reader_head = NO_ID};
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
        obj_renew(o);
        o->class = (uint8_t)(class + 1);
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

/* Destroyed under those who wait for it, or will: they keep the state that they wait for. */
void obj_drop(struct obj *o)
{
    CHECK(o->class && !o->first == !o->waiting);
    if (o->first || o->wanted)
        return;
    CHECK(rt.object_index[probe(o->addr)] == (uint32_t)(o - rt.objects) + 1);
    obj_renew(o);
    index_remove(probe(o->addr));
    if (rt.object_last == o)
        rt.object_last = NULL;
    *o = (struct obj){.need = rt.free_object};
    rt.free_object = (uint32_t)(o - rt.objects);
}

/* ---- read holds -------------------------------------------------------------------------- */

struct read_hold *read_find(struct obj *o, const struct thr *t)
{
    for (uint32_t i = o->reader_head; i != NO_ID; i = rt.reads[i].next)
        if (rt.reads[i].thr == t)
            return &rt.reads[i];
    return NULL;
}

#ifdef HEDDLE_CHECKS
/* Each reader has one hold, and together they are as many as are counted. */
static void reads_check(const struct obj *o)
{
    uint32_t sum = 0;
    for (uint32_t i = o->reader_head; i != NO_ID; i = rt.reads[i].next) {
        CHECK(i < rt.read_count && rt.reads[i].count > 0);
        sum += rt.reads[i].count;
    }
    CHECK(sum == o->readers);
}
#endif

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
    CHECK_ALL(reads_check(o));
}

void read_remove(struct obj *o, struct read_hold *h)
{
    CHECK(o->readers > 0 && h->count > 0);
    o->readers--;
    if (--h->count)
        return;
    uint32_t index = (uint32_t)(h - rt.reads), *link = &o->reader_head;
    while (*link != index && *link != NO_ID)
        link = &rt.reads[*link].next;
    CHECK(*link == index);
    *link = h->next;
    h->next = rt.free_read;
    rt.free_read = index;
    CHECK_ALL(reads_check(o));
}

/* ---- locks in old memory ----------------------------------------------------------------- *
 * A function returns, or a block is freed, with a lock in it that is held; then a static
 * initialiser makes a new lock there. Neither calls us. So the memory of a lock that is held
 * has a mark, in a field in which every initialiser leaves 0. */

static int *mark_of(const struct obj *o)
{
    void *p = (void *)(uintptr_t)o->addr;
    if (o->is_stream || o->is_shared)
        return NULL;
    if (o->class == WORD_VALUE(CLASS, MUTEX) + 1)
        return &((pthread_mutex_t *)p)->__data.__owner;
    if (o->class == WORD_VALUE(CLASS, RWLOCK) + 1)
        return (int *)&((pthread_rwlock_t *)p)->__data.__pad3;
    return NULL;
}

/* Whoever asks is about to use the lock: its memory is there. */
bool obj_is_stale(const struct obj *o)
{
    bool is_held = o->owner != NO_ID || o->readers;
    const int *mark = is_held && !o->first ? mark_of(o) : NULL;
    return mark && *mark == 0;
}

/* There may be no memory any more: the kernel looks. */
static bool is_there(const int *mark)
{
    const struct timespec no_time = {0};
    return sys_call(SYS_futex, (long)mark, FUTEX_WAIT_PRIVATE, 0, (long)&no_time, 0, 0) ==
           -EAGAIN;
}

/* Does its memory still hold what we know of it? */
bool obj_is_there(const struct obj *o)
{
    const int *mark = mark_of(o);
    return !mark || is_there(mark);
}

/* It is given up by somebody who does not know whether its memory lives. */
void obj_unmark(const struct obj *o)
{
    int *mark = mark_of(o);
    if (mark && is_there(mark) && *mark == LOCK_IS_HELD)
        *mark = 0;
}

void obj_leave(const struct obj *o)
{
    int *mark = &((pthread_mutex_t *)(uintptr_t)o->addr)->__data.__owner;
    if (is_there(mark) && *mark == LOCK_IS_HELD)
        *mark = LOCK_IS_LEFT;
}

void obj_unhold(struct obj *o)
{
    if (o->owner == NO_ID)
        return;
    CHECK(o->owner < rt.thread_count);
    struct obj **link = &rt.threads[o->owner].held;
    while (*link && *link != o)
        link = &(*link)->held_next;
    if (*link)
        *link = o->held_next;
    o->held_next = NULL;
}

/* Another lock at the same place. */
void obj_renew(struct obj *o)
{
    while (o->reader_head != NO_ID)
        read_remove(o, &rt.reads[o->reader_head]);
    obj_unhold(o);
    obj_reset(o);
}
