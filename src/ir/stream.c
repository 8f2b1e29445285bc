/* SPDX-License-Identifier: Apache-2.0
 *
 * stream: the events of a window by thread, and which accesses are to shared memory: a byte
 * that two threads touch in one life of its object, and that one of them writes. A buffer is
 * read and written over and over: what a range has led to once is not done again. */
#include "ir/exec.h"

#include "base/stop.h"

enum { MANY = 0xffff, WRITTEN = 1 << 16, RANGE_LEAST = 64, LOOK_BYTES = 1 << 16 };

struct scan {
    struct streams *out;
    struct space *space;
    struct map touched; /* byte in one life -> first thread or MANY, WRITTEN */
    struct map ranges;  /* of one life, by one thread -> whether they are shared, once known */
    struct map told;    /* what was written to shared memory and may be an address */
    struct trace_cursor *cursor;
};

/* One byte of one object, as long as it lives. */
static uint64_t byte_key(const struct space *s, uint64_t addr)
{
    return addr ^ (uint64_t)(space_find(s, addr) + 1) * 0x9e3779b97f4a7c15ULL;
}

static uint64_t access_bytes(const struct ev *e)
{
    bool is_range = e->kind == EV_READ_RANGE || e->kind == EV_WRITE_RANGE;
    return !ev_is_access(e->kind) ? 0 : is_range ? e->len : e->size;
}

static bool is_writing(const struct ev *e)
{
    return e->kind != EV_READ && e->kind != EV_ATOMIC_LOAD && e->kind != EV_READ_RANGE;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15ULL;
    return a ^ a >> 29;
}

/* A long range of a thread, and of the objects at its ends, which live now. */
static uint64_t range_key(const struct scan *s, const struct ev *e)
{
    uint64_t ends = (uint64_t)space_find(s->space, e->addr) << 32 |
                    space_find(s->space, e->addr + e->len - 1);
    return mixed(mixed(mixed(e->addr, e->len), ends), (uint64_t)e->thr << 1 | is_writing(e));
}

static void touch(struct scan *s, const struct ev *e)
{
    uint64_t bytes = access_bytes(e);
    if (bytes >= RANGE_LEAST) {
        uint32_t *known = map_at(&s->ranges, range_key(s, e));
        if (*known != NONE)
            return;
        *known = 0;
    }
    for (uint64_t i = 0; i < bytes && (i % LOOK_BYTES || !stop_signal()); i++) {
        uint32_t *slot = map_at(&s->touched, byte_key(s->space, e->addr + i));
        uint32_t was = *slot == NONE ? e->thr : *slot;
        if ((was & MANY) != e->thr)
            was |= MANY;
        *slot = was | (is_writing(e) ? (uint32_t)WRITTEN : 0);
    }
}

static bool has_shared_byte(const struct scan *s, const struct ev *e, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes && (i % LOOK_BYTES || !stop_signal()); i++) {
        uint32_t is = map_find(&s->touched, byte_key(s->space, e->addr + i));
        if (is != NONE && (is & MANY) == MANY && (is & WRITTEN))
            return true;
    }
    return false;
}

/* When all have been touched. */
static bool is_shared(struct scan *s, const struct ev *e)
{
    enum { PRIVATE = 1, SHARED = 2 };
    uint64_t bytes = access_bytes(e);
    if (bytes < RANGE_LEAST)
        return has_shared_byte(s, e, bytes);
    uint32_t *known = map_at(&s->ranges, range_key(s, e));
    if (*known != PRIVATE && *known != SHARED)
        *known = has_shared_byte(s, e, bytes) ? SHARED : PRIVATE;
    return *known == SHARED;
}

static void keep(struct scan *s, const struct ev *e)
{
    while (s->out->at.len <= e->thr)
        vec_push(&s->out->at, (struct stream){0});
    struct seen it = {.number = s->cursor->number - 1,
                      .addr = e->addr,
                      .len = e->len,
                      .value = e->value,
                      .value2 = e->value2,
                      .site = e->site,
                      .peer = e->peer,
                      .kind = e->kind,
                      .size = e->size,
                      .flags = e->flags,
                      .is_shared = is_shared(s, e)};
    vec_push(&s->out->at.at[e->thr].items, it);
    if (it.is_shared && is_writing(e) && e->size == 8)
        *map_at(&s->told, e->kind == EV_RMW || e->kind == EV_CAS ? e->value2 : e->value) = 1;
    if (e->kind == EV_ALLOC)
        vec_push(&s->out->blocks,
                 (struct block){.addr = e->addr, .len = e->len, .number = it.number});
}

/* Somebody who wants us to end gets the events up to here: nothing is made of them. */
static int pass(struct scan *s, struct trace *t, void (*see)(struct scan *, const struct ev *),
                struct err *err)
{
    struct ev e;
    int item;
    cursor_init(s->cursor, t);
    s->cursor->values = true;
    s->space = space_new();
    while ((item = stop_signal() ? 0 : trace_next(s->cursor, &e, err)) > 0) {
        space_feed(s->space, s->cursor, item, &e);
        if (item == ITEM_EVENT)
            see(s, &e);
    }
    space_free(s->space);
    return item;
}

int streams_read(struct streams *out, struct trace *t, struct err *err)
{
    struct scan s = {.out = out, .cursor = mem_zeroed(1, sizeof *s.cursor)};
    int failed = pass(&s, t, touch, err);
    if (failed == 0)
        failed = pass(&s, t, keep, err);
    for (uint32_t i = 0; i < out->blocks.len; i++)
        out->blocks.at[i].is_told = map_find(&s.told, out->blocks.at[i].addr) != NONE;
    map_done(&s.told);
    map_done(&s.ranges);
    map_done(&s.touched);
    free(s.cursor);
    return failed;
}

void streams_done(struct streams *s)
{
    for (uint32_t i = 0; i < s->at.len; i++)
        vec_done(&s->at.at[i].items);
    vec_done(&s->at);
    vec_done(&s->blocks);
}
