/* SPDX-License-Identifier: Apache-2.0
 *
 * acts-alike: see acts-alike.h. It walks along both traces with nothing but the lines of the
 * witness: a thread by how it was created, an event by its kind, its place and how often it
 * came there. */
#include "confirm/acts-alike.h"

/* What a step acted on; empty: it did not happen, or acts on nothing that has an address. */
struct touch {
    uint64_t from, to;
    obj_id object; /* which of those that lay there, or NONE */
};

struct look {
    const struct witness_file *w;
    struct trace trace;
    struct space *space;
    uint32_t *thr;        /* by line: the thread in the trace, or NONE */
    uint64_t *seen;       /* by line: how often it has come */
    struct touch *touch;  /* by line */
    VEC(uint64_t) places; /* by site of the trace: bits of the lines that are there */
};

enum { LINES_MAX = 64 }; /* that are looked at: the last ones */

static bool is_thread(const struct trace *t, uint32_t thr, const struct witness_thread *w)
{
    for (uint32_t i = w->depth; i-- > 1;) {
        if (t->threads.at[thr].parent >= thr || t->threads.at[thr].spawn != w->path[i])
            return false;
        thr = t->threads.at[thr].parent;
    }
    return t->threads.at[thr].parent >= thr && w->path[0] == 0;
}

static uint32_t thread_in(const struct trace *t, const struct witness_thread *w)
{
    for (uint32_t i = 0; i < t->threads.len; i++)
        if (is_thread(t, i, w))
            return i;
    return NONE;
}

/* The lines that are looked at are those from here on. */
static uint32_t first_line(const struct witness_file *w)
{
    return w->lines.len > LINES_MAX ? w->lines.len - LINES_MAX : 0;
}

/* The end of a life is that of the whole object. */
static struct touch touch_of(const struct look *l, const struct ev *e)
{
    obj_id id = space_find(l->space, e->addr);
    const struct object *o = id == NONE ? NULL : space_object(l->space, id);
    if (ev_ends_life(e->kind))
        return (struct touch){e->addr, e->addr + (o && o->size ? o->size : 1), id};
    if (ev_acts_on(e->kind) == ON_MEMORY)
        return (struct touch){e->addr, e->addr + (ev_is_scalar(e->kind) ? e->size : e->len),
                              id};
    if (ev_acts_on(e->kind) >= ON_SYNC)
        return (struct touch){e->addr, e->addr + 1, id};
    return (struct touch){0};
}

/* By site: which lines are there. Sites are defined as the trace goes on. */
static uint64_t lines_at(struct look *l, uint32_t site)
{
    while (l->places.len <= site && l->places.len < l->trace.sites.len) {
        const struct def_site *s = &l->trace.sites.at[l->places.len];
        uint64_t bits = 0;
        for (uint32_t i = first_line(l->w); i < l->w->lines.len; i++) {
            const struct witness_line *x = &l->w->lines.at[i];
            if (x->how != WITNESS_RUN && witness_site_is(&x->site, s))
                bits |= 1ULL << (i - first_line(l->w));
        }
        vec_push(&l->places, bits);
    }
    return site < l->places.len ? l->places.at[site] : 0;
}

static void meet(struct look *l, const struct ev *e)
{
    uint64_t bits = lines_at(l, e->site);
    for (; bits; bits &= bits - 1) {
        uint32_t i = first_line(l->w) + (uint32_t)__builtin_ctzll(bits);
        const struct witness_line *x = &l->w->lines.at[i];
        if (l->thr[i] == NONE)
            l->thr[i] = thread_in(&l->trace, &l->w->threads.at[x->thr]);
        if (l->thr[i] == e->thr && x->kind == e->kind && ++l->seen[i] == x->count)
            l->touch[i] = touch_of(l, e);
    }
}

/* False: the trace cannot be read. */
static bool look_at(struct touch *out, const struct witness_file *w, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct look l = {.w = w, .touch = out};
    struct err ignored;
    struct ev e;
    int item;
    str_add(&path, "%s/trace", directory);
    if (trace_open(&l.trace, path.at, &ignored) < 0)
        return false;
    struct trace_cursor *c = mem_get(sizeof *c);
    l.space = space_new();
    l.seen = mem_zeroed(w->lines.len + 1, sizeof *l.seen);
    l.thr = mem_get((w->lines.len + 1) * sizeof *l.thr);
    for (uint32_t i = 0; i < w->lines.len; i++)
        l.thr[i] = NONE;
    cursor_init(c, &l.trace);
    while ((item = trace_next(c, &e, &ignored)) > ITEM_END) {
        if (item == ITEM_EVENT)
            meet(&l, &e);
        space_feed(l.space, c, item, &e);
    }
    free(c);
    free(l.seen);
    free(l.thr);
    vec_done(&l.places);
    space_free(l.space);
    trace_close(&l.trace);
    return item >= 0;
}

static bool overlap(struct touch a, struct touch b)
{
    return a.from < b.to && b.from < a.to && a.object == b.object;
}

static bool is_known(struct touch a)
{
    return a.from < a.to;
}

static bool is_alike(const struct touch *before, const struct touch *after, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (overlap(before[k], before[i]) && is_known(after[k]) && is_known(after[i]) &&
                !overlap(after[k], after[i]))
                return false;
    return true;
}

bool acts_alike(const struct witness_file *w, const char *recorded, const char *run)
{
    struct touch *before = mem_zeroed(w->lines.len + 1, sizeof *before);
    struct touch *after = mem_zeroed(w->lines.len + 1, sizeof *after);
    bool alike = !look_at(before, w, recorded) || !look_at(after, w, run) ||
                 is_alike(before, after, w->lines.len);
    free(before);
    free(after);
    return alike;
}
