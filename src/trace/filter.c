/* SPDX-License-Identifier: Apache-2.0
 *
 * filter: which events a user asked for. A location is asked for by name, and what counts is
 * every byte an event touches, not only the first: a range that begins in one object may be
 * the write into the next one that somebody is looking for. */
#include "trace/notation.h"

struct extent {
    uint64_t start, end;
};

/* The bytes an event is about; empty if it has no address. A sync event is about the byte that
 * its object begins with, the end of a block about all of it. */
static struct extent extent_of(const struct ev *e, const struct space *s)
{
    const char *at = strchr(ev_fields(e->kind), 'A');
    bool is_range = at && at[1] == 'L';
    uint64_t len = 1;
    if (!at || (address_is_optional(e->kind) && e->addr == 0 && !(is_range && e->len > 0)))
        return (struct extent){0, 0};
    if (at[1] == 'Z')
        len = e->size;
    else if (is_range)
        len = e->len > 0 ? e->len : 1;
    else if (ev_acts_on(e->kind) == ON_BLOCK) {
        obj_id id = space_find(s, e->addr);
        const struct object *o = id == NONE ? NULL : space_object(s, id);
        len = o && o->addr == e->addr ? o->size : 1;
    }
    return (struct extent){e->addr, len > UINT64_MAX - e->addr ? UINT64_MAX : e->addr + len};
}

/* What stands behind the object's name, which the name begins with; false if it does not. */
static bool name_rest(const struct object *o, struct text name, struct text *out)
{
    AUTO(str) struct str made = {0};
    struct text full = o->name;
    if (!o->is_static || o->same > 0) {
        object_name(&made, o);
        full = str_text(&made);
    }
    if (full.len == 0 || name.len < full.len || memcmp(name.at, full.at, full.len) != 0)
        return false;
    *out = (struct text){name.at + full.len, name.len - full.len};
    return true;
}

/* Does the name stand for a byte of this piece of an object? */
static bool piece_has(const struct object *o, struct extent piece, struct text name)
{
    struct text rest;
    uint64_t offset;
    if (!name_rest(o, name, &rest))
        return false;
    if (rest.len == 0)
        return true;
    struct text digits = {rest.at + 1, rest.len - 1};
    return rest.at[0] == '+' && text_number(digits, &offset) &&
           offset >= piece.start - o->addr && offset < piece.end - o->addr;
}

bool ev_touches(const struct ev *e, const struct space *s, struct text name)
{
    struct extent x = extent_of(e, s);
    uint64_t addr;
    if (text_number(name, &addr) && addr >= x.start && addr < x.end)
        return true;
    while (x.start < x.end) {
        struct extent piece = {x.start, space_until(s, x.start, x.end)};
        obj_id id = space_find(s, x.start);
        if (id != NONE && piece_has(space_object(s, id), piece, name))
            return true;
        x.start = piece.end;
    }
    return false;
}

bool filter_has_thread(const struct trace_filter *f, uint32_t thr)
{
    for (uint32_t i = 0; i < f->threads.len; i++)
        if (f->threads.at[i] == thr)
            return true;
    return f->threads.len == 0;
}

bool filter_keeps(const struct trace_filter *f, const struct space *s, uint64_t number,
                  const struct ev *e)
{
    if (number < f->from || number >= f->to || !filter_has_thread(f, e->thr))
        return false;
    for (uint32_t i = 0; i < f->names.len; i++)
        if (ev_touches(e, s, f->names.at[i]))
            return true;
    return f->names.len == 0;
}
