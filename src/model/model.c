/* SPDX-License-Identifier: Apache-2.0
 *
 * model: build, look up, name, check. See model.h for what a model is and build.h for the
 * steps that make one. */
#include "model/making.h"

#include "base/search.h"

#include <string.h>

#define ENTRIES_MAX (1ULL << 30) /* 8 GiB of index and sources */

static void builder_done(struct builder *b)
{
    for (uint32_t t = 0; t < b->thread_cap; t++)
        vec_done(&b->threads[t].held);
    free(b->threads);
    free(b->spread.cells);
    free(b->spread.syncs);
    memory_free(b->memory);
    map_done(&b->said);
}

/* An access may cover many cells, and each is an entry in the index and a source. */
static int check_size(const struct builder *b, const struct cutting *cut, struct err *err)
{
    const struct model *m = b->m;
    uint64_t entries = 0;
    if (cut->span_count == 0 && m->ev_count <= ENTRIES_MAX)
        return 0;
    for (ev_id i = 0; i < m->ev_count; i++) {
        uint32_t obj = kind_is_memory(m->ev[i].kind) ? cut->obj_of[m->obj[i]] : NONE;
        if (obj != NONE)
            entries += obj < cut->cell_count ? 1 : cut->spans[obj - cut->cell_count].count;
    }
    if (entries <= ENTRIES_MAX)
        return 0;
    return err_set(
        err,
        "its accesses cover %llu cells, more than %llu: long ranges over memory that "
        "is also accessed in small pieces; analyse a part (--from, --to)",
        (unsigned long long)entries, (unsigned long long)ENTRIES_MAX);
}

static size_t model_bytes(const struct model *m)
{
    size_t per_event = sizeof *m->ev + sizeof *m->obj + sizeof *m->idx +
                       (m->number ? sizeof *m->number : 0) + sizeof *m->link +
                       sizeof *m->by_thread +
                       (m->site_narrow ? sizeof *m->site_narrow : sizeof *m->site_wide);
    return per_event * m->ev_count + sizeof *m->threads * m->thread_count +
           (sizeof *m->acquires + sizeof *m->outer) * m->acquire_count +
           sizeof *m->acquires_before * (m->ev_count / HELD_STRIDE + 1) +
           (sizeof *m->cells + sizeof *m->cell_first + sizeof *m->cell_reads) * m->cell_count +
           sizeof *m->accesses * m->cell_first[m->cell_count] +
           sizeof *m->spans * m->span_count + sizeof *m->sources * m->source_count +
           (sizeof *m->syncs + sizeof *m->sync_first) * m->sync_count +
           sizeof *m->sync_events * m->sync_first[m->sync_count] +
           sizeof *m->waits * m->wait_count +
           sizeof *m->needs * (m->need_count + m->bar_count) + space_bytes(m->space);
}

/* If every event of the trace is one of the model, its place is its number. */
static void drop_numbers(struct model *m)
{
    ev_id e = 0;
    while (e < m->ev_count && m->number[e] == e)
        e++;
    if (e < m->ev_count)
        return;
    column_free(m->number);
    m->number = NULL;
}

enum { CHECKED_MAX = 200000 }; /* events: what is larger is checked by its tests only */

struct model *model_build(struct trace *t, const struct model_opts *opts, struct err *err)
{
    if ((t->head.flags & TRACE_UNENFORCED) && !opts->unenforced) {
        err_set(err, "its locks were recorded and not enforced (`freed`): nothing follows from "
                     "the order of its events; heddle verify makes such traces for itself");
        return NULL;
    }
    AUTO(model) struct model *m = mem_get(sizeof *m);
    *m = (struct model){.trace = t, .files = opts->files, .space = space_new()};
    struct builder b = {
        .m = m, .memory = memory_new(m->space), .keep_all = opts->keep_all, .weak = opts->weak};
    struct cutting cut = {0};
    int failed = build_read(&b, err);
    if (!failed) {
        memory_cut(b.memory, b.keep_all, &cut);
        m->cells = cut.cells;
        m->cell_count = cut.cell_count;
        m->spans = cut.spans;
        m->span_count = cut.span_count;
        m->syncs = cut.syncs;
        m->sync_count = cut.sync_count;
        failed = check_size(&b, &cut, err);
    }
    if (!failed)
        failed = build_compact(&b, &cut, err);
    if (!failed) {
        drop_numbers(m);
        build_sections(m);
        if (b.has_waits)
            build_waits(m, &b.said);
        failed = build_index(m, &b.spread, err);
        if (!failed && b.has_needs)
            build_needs(m, &b.said);
    }
    free(cut.obj_of);
    builder_done(&b);
    if (failed)
        return NULL;
    m->bytes = model_bytes(m);
    if (m->ev_count <= CHECKED_MAX)
        CHECK_ALL(model_check(m));
    struct model *built = m;
    m = NULL;
    return built;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    void *parts[] = {m->ev,         m->obj,         m->idx,       m->number,
                     m->link,       m->site_narrow, m->site_wide, m->threads,
                     m->by_thread,  m->acquires,    m->outer,     m->acquires_before,
                     m->cells,      m->spans,       m->sources,   m->accesses,
                     m->cell_first, m->cell_reads,  m->syncs,     m->sync_events,
                     m->sync_first, m->waits,       m->needs,     m->bars};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        column_free(parts[i]);
    vec_done(&m->benign);
    vec_done(&m->freeings);
    space_free(m->space);
    free(m);
}

ev_id model_find(const struct model *m, uint64_t number)
{
    uint32_t behind = SEARCH(i, 0, m->ev_count, model_number(m, i) <= number);
    return behind > 0 && model_number(m, behind - 1) == number ? behind - 1 : NONE;
}

bool model_is_benign(const struct model *m, cell_id c)
{
    CHECK(c < m->cell_count);
    const struct cell *x = &m->cells[c];
    for (uint32_t i = 0; i < m->benign.len; i++) {
        const struct benign *b = &m->benign.at[i];
        if (b->object == x->object && x->addr < b->addr + b->len && b->addr < x->addr + x->len)
            return true;
    }
    return false;
}

/* ---- locks held -------------------------------------------------------------------------- */

/* The thread's event at p, or behind all: places in a thread compare as events of the trace do,
 * and those stand at hand. */
static ev_id place_at(const struct model *m, const struct model_thread *thread, uint32_t p)
{
    return p < thread->len ? m->by_thread[thread->first + p] : NONE;
}

/* A release that never comes is NONE, which is behind all. */
static uint32_t skip_released(const struct model *m, uint32_t i, ev_id place)
{
    while (i != NONE && m->link[m->acquires[i]] < place)
        i = m->outer[i];
    return i;
}

uint32_t model_held(const struct model *m, thr_id t, uint32_t p)
{
    CHECK(t < m->thread_count && p <= m->threads[t].len);
    const struct model_thread *thread = &m->threads[t];
    uint32_t first = thread->acquire_first, end = first + thread->acquire_count;
    uint32_t i = m->acquires_before[(thread->first + p) / HELD_STRIDE];
    ev_id place = place_at(m, thread, p);
    for (i = i < first ? first : i; i < end && m->acquires[i] < place;)
        i++;
    return i == first ? NONE : skip_released(m, i - 1, place);
}

uint32_t model_held_next(const struct model *m, uint32_t i, uint32_t p)
{
    uint32_t outer = m->outer[i];
    if (outer == NONE)
        return NONE;
    return skip_released(m, outer, place_at(m, &m->threads[m->ev[m->acquires[i]].thr], p));
}

/* ---- names ------------------------------------------------------------------------------- */

static void name_in(struct str *out, const struct model *m, obj_id object, uint64_t addr)
{
    if (object == NONE) {
        str_add(out, "0x%llx", (unsigned long long)addr);
        return;
    }
    const struct object *o = space_object(m->space, object);
    object_name(out, o);
    if (!o->is_static) {
        str_char(out, '(');
        site_name(out, &m->trace->sites.at[o->site]);
        str_char(out, ')');
    }
    if (addr != o->addr)
        str_add(out, "+%llu", (unsigned long long)(addr - o->addr));
}

void cell_name(struct str *out, const struct model *m, cell_id c)
{
    CHECK(c < m->cell_count);
    name_in(out, m, m->cells[c].object, m->cells[c].addr);
}

void sync_name(struct str *out, const struct model *m, sync_id s)
{
    CHECK(s < m->sync_count);
    name_in(out, m, m->syncs[s].object, m->syncs[s].addr);
}

/* ---- check ------------------------------------------------------------------------------- */

static void check_event(const struct model *m, ev_id e)
{
    thr_id t = m->ev[e].thr;
    unsigned kind = m->ev[e].kind;
    CHECK(kind > EV_NONE && kind < EV_COUNT && t < m->thread_count);
    CHECK(m->idx[e] < m->threads[t].len && model_at(m, t, m->idx[e]) == e);
    CHECK(e == 0 || model_number(m, e - 1) <= model_number(m, e));
    if (kind_is_memory(kind)) {
        struct span s = model_cells(m, e);
        CHECK(s.count > 0 && s.first + s.count <= m->cell_count);
        for (cell_id c = s.first; model_reads(m, e) && c < s.first + s.count; c++) {
            ev_id w = model_source(m, e, c);
            CHECK(w == NONE || (w < e && model_writes(m, w)));
        }
    }
    if (kind_is_sync(kind))
        CHECK(m->obj[e] < m->sync_count);
    if (kind == EV_RELEASE)
        CHECK(m->ev[m->link[e]].kind == EV_ACQUIRE && m->link[m->link[e]] == e);
    if (kind == EV_ACQUIRE && m->link[e] != NONE)
        CHECK(m->obj[m->link[e]] == m->obj[e] && m->ev[m->link[e]].thr == t && m->link[e] > e);
}

static void check_part(const struct model *m, uint32_t from, uint32_t to, cell_id c, bool write)
{
    for (uint32_t i = from; i < to; i++) {
        ev_id e = m->accesses[i];
        struct span s = model_cells(m, e);
        CHECK(c - s.first < s.count);
        CHECK(write ? model_writes(m, e) : model_reads(m, e));
        if (i == from)
            continue;
        ev_id before = m->accesses[i - 1];
        CHECK(m->ev[before].thr < m->ev[e].thr ||
              (m->ev[before].thr == m->ev[e].thr && m->idx[before] < m->idx[e]));
    }
}

/* The threads' events are all events; the acquires of each are its own, and what is around one
 * stands before it. */
static void check_threads(const struct model *m)
{
    uint32_t events = 0, acquires = 0;
    for (thr_id t = 0; t < m->thread_count; t++) {
        const struct model_thread *x = &m->threads[t];
        CHECK(x->first == events && x->acquire_first == acquires);
        CHECK(x->create == NONE || x->create < m->ev_count);
        events += x->len;
        acquires += x->acquire_count;
        for (uint32_t i = x->acquire_first; i < acquires; i++) {
            ev_id a = m->acquires[i];
            CHECK(m->ev[a].kind == EV_ACQUIRE && m->ev[a].thr == t);
            CHECK(i == x->acquire_first || m->acquires[i - 1] < a);
            CHECK(m->outer[i] == NONE || (m->outer[i] >= x->acquire_first && m->outer[i] < i));
        }
    }
    CHECK(events == m->ev_count && acquires == m->acquire_count);
}

static void check_syncs(const struct model *m)
{
    for (sync_id s = 0; s < m->sync_count; s++) {
        CHECK(m->syncs[s].on >= ON_LOCK && m->syncs[s].on <= ON_CHANNEL);
        CHECK(m->sync_first[s] <= m->sync_first[s + 1]);
        for (uint32_t i = m->sync_first[s]; i < m->sync_first[s + 1]; i++) {
            CHECK(m->sync_events[i] < m->ev_count && m->obj[m->sync_events[i]] == s);
            CHECK(kind_in_sync_index(m->ev[m->sync_events[i]].kind));
        }
    }
}

void model_check(const struct model *m)
{
    check_threads(m);
    check_syncs(m);
    for (ev_id e = 0; e < m->ev_count; e++)
        check_event(m, e);
    for (cell_id c = 0; c < m->cell_count; c++) {
        CHECK(m->cell_first[c] <= m->cell_reads[c] && m->cell_reads[c] <= m->cell_first[c + 1]);
        check_part(m, m->cell_first[c], m->cell_reads[c], c, true);
        check_part(m, m->cell_reads[c], m->cell_first[c + 1], c, false);
    }
    for (uint32_t i = 0; i < m->wait_count; i++) {
        const struct wait *w = &m->waits[i];
        CHECK(m->ev[w->enter].kind == EV_WAIT_ENTER || m->ev[w->enter].kind == EV_ATOMIC_LOAD);
        CHECK(w->notify == NONE || w->notify > w->enter);
        CHECK(w->acquire == NONE || m->obj[w->acquire] == w->lock);
    }
    for (uint32_t i = 0; i < m->need_count; i++) {
        CHECK(m->needs[i].from < m->needs[i].to && m->needs[i].to < m->ev_count);
        CHECK(i == 0 || m->needs[i - 1].to <= m->needs[i].to);
    }
    for (uint32_t i = 0; i < m->bar_count; i++) {
        CHECK(m->bars[i].from < m->bars[i].to && m->bars[i].to < m->ev_count);
        CHECK(i == 0 || m->bars[i - 1].to <= m->bars[i].to);
    }
}
