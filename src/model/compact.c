/* SPDX-License-Identifier: Apache-2.0
 *
 * compact: step 2 of building a model. Now that it is known which memory is shared, rows that
 * cannot matter go, the others move together, and each gets its cells, its place in its thread
 * and, if it reads, the write it saw. */
#include "model/making.h"

#include "base/stop.h"

#include <string.h>

struct compactor {
    struct builder *b;
    const struct cutting *cut;
    ev_id *last_write; /* by cell */
    VEC(ev_id) sources;
    bool *read_since; /* by thread: something a branch may depend on came */
    bool *branched;   /* by thread: its first branch has been kept */
    bool *told;       /* by thread: where its next event comes from was said */
};

/* Events after which a branch may go another way in another schedule. */
static bool informs(unsigned kind)
{
    switch (kind) {
    case EV_REFUSED:
    case EV_TIMEOUT:
    case EV_WAIT_LEAVE:
    case EV_SEM_WAIT:
    case EV_ONCE_ENTER:
    case EV_ONCE_PASS:
    case EV_FUTEX_WAIT:
    case EV_INPUT:
    case EV_CHANNEL_READ:
    case EV_LOOK:
    case EV_SUM:
    case EV_HEAR:
    case EV_JOIN:
        return true;
    default:
        return kind_reads(kind);
    }
}

static bool keep_branch(struct compactor *k, uint32_t thr)
{
    bool keep = k->b->keep_all || k->read_since[thr] || !k->branched[thr];
    k->read_since[thr] = false;
    k->branched[thr] = true;
    k->b->m->dropped.branches += !keep;
    return keep;
}

/* The final obj of row i; false if the row goes. */
static bool keep_row(struct compactor *k, ev_id i, uint32_t *obj)
{
    struct model *m = k->b->m;
    unsigned kind = m->ev[i].kind;
    bool told = k->told[m->ev[i].thr];
    k->told[m->ev[i].thr] = false;
    *obj = m->obj[i];
    if (kind_is_memory(kind)) {
        *obj = k->cut->obj_of[m->obj[i]];
        if (*obj == NONE && kind == EV_EXTERNAL_WRITE && !told && !m->trace->forgets) {
            m->ev[i].kind = EV_MARK; /* its place among the others stays */
            *obj = WORD_VALUE(MARK, RECORD);
        }
        m->dropped.private_accesses += *obj == NONE;
        return *obj != NONE;
    }
    if (kind == EV_BRANCH)
        return keep_branch(k, m->ev[i].thr);
    if (kind_is_sync(kind))
        *obj = k->cut->obj_of[m->obj[i]];
    k->told[m->ev[i].thr] = kind == EV_HEAR && m->syncs[*obj].addr == CAUSE_ADDRESS;
    if (kind == EV_REQUEST && !k->b->keep_all && k->b->threads[m->ev[i].thr].last != i + 1) {
        m->dropped.other++;
        return false;
    }
    return true;
}

/* One cell is read or written: counts it for the index and follows what it holds. */
static inline void cell_touch(struct compactor *k, ev_id e, cell_id c, bool reads, bool writes)
{
    struct model *m = k->b->m;
    if (k->b->spread.cells) {
        uint32_t *counts = k->b->spread.cells + (size_t)c * 2 * m->thread_count;
        counts[m->ev[e].thr] += writes;
        counts[m->thread_count + m->ev[e].thr] += reads;
    } else {
        m->cell_first[c] += writes;
        m->cell_reads[c] += reads;
    }
    if (writes)
        k->last_write[c] = e;
}

/* Sources first: an atomic update sees what was there before it. */
static void set_sources(struct compactor *k, ev_id e)
{
    struct model *m = k->b->m;
    struct span s = model_cells(m, e);
    bool reads = kind_reads(m->ev[e].kind);
    bool writes = kind_writes(m->ev[e].kind, m->ev[e].detail);
    if (reads && s.count == 1)
        m->link[e] = k->last_write[s.first];
    else if (reads)
        m->link[e] = k->sources.len;
    for (cell_id c = s.first; c < s.first + s.count; c++) {
        if (reads && s.count > 1)
            vec_push(&k->sources, k->last_write[c]);
        cell_touch(k, e, c, reads, writes);
    }
}

/* What every row that stays needs. */
static inline void place_row(struct model *m, ev_id from, ev_id to, uint32_t obj)
{
    m->ev[to] = m->ev[from];
    m->obj[to] = obj;
    m->number[to] = m->number[from];
    m->link[to] = NONE;
    if (m->site_narrow)
        m->site_narrow[to] = m->site_narrow[from];
    else
        m->site_wide[to] = m->site_wide[from];
    m->idx[to] = m->threads[m->ev[to].thr].len++;
}

static void move_row(struct compactor *k, ev_id from, ev_id to, uint32_t obj)
{
    struct model *m = k->b->m;
    place_row(m, from, to, obj);
    struct row r = m->ev[to];
    if (kind_is_memory(r.kind))
        set_sources(k, to);
    if (informs(r.kind))
        k->read_since[r.thr] = true;
    if (r.kind == EV_CREATE && m->threads[obj].create == NONE)
        m->threads[obj].create = to;
    if (r.kind == EV_ACQUIRE)
        m->threads[r.thr].acquire_count++;
    if (!kind_in_sync_index(r.kind))
        return;
    if (k->b->spread.syncs)
        k->b->spread.syncs[(size_t)obj * m->thread_count + r.thr]++;
    else
        m->sync_first[obj]++;
}

/* The hot path of keep_row and move_row: a plain access to one cell, or to nothing kept.
 * False: not such a row. */
static inline bool move_access(struct compactor *k, ev_id from, ev_id *to)
{
    struct model *m = k->b->m;
    struct row r = m->ev[from];
    if (r.kind > EV_WRITE)
        return false;
    uint32_t obj = k->cut->obj_of[m->obj[from]];
    if (obj == NONE) {
        m->dropped.private_accesses++;
        return true;
    }
    if (obj >= m->cell_count)
        return false;
    bool writes = r.kind == EV_WRITE;
    place_row(m, from, *to, obj);
    if (!writes) {
        m->link[*to] = k->last_write[obj];
        k->read_since[r.thr] = true;
    }
    cell_touch(k, (*to)++, obj, !writes, writes);
    return true;
}

static void shrink(struct model *m)
{
    size_t n = m->ev_count;
    m->ev = column_resize(m->files, m->ev, n * sizeof *m->ev);
    m->obj = column_resize(m->files, m->obj, n * sizeof *m->obj);
    m->idx = column_resize(m->files, m->idx, n * sizeof *m->idx);
    m->number = column_resize(m->files, m->number, n * sizeof *m->number);
    m->link = column_resize(m->files, m->link, n * sizeof *m->link);
    if (m->site_narrow)
        m->site_narrow = column_resize(m->files, m->site_narrow, n * sizeof *m->site_narrow);
    else
        m->site_wide = column_resize(m->files, m->site_wide, n * sizeof *m->site_wide);
}

/* Small as a rule: then the indices can be filled in the order of the trace. */
static void spread_init(struct builder *b)
{
    const struct model *m = b->m;
    size_t cells = (size_t)m->cell_count * 2 * m->thread_count;
    size_t syncs = (size_t)m->sync_count * m->thread_count;
    if (cells + syncs > m->ev_count)
        return;
    b->spread.cells = mem_zeroed(cells + 1, sizeof *b->spread.cells);
    b->spread.syncs = mem_zeroed(syncs + 1, sizeof *b->spread.syncs);
}

/* How many rows stay; all are looked at unless a stop comes. */
static uint32_t move_rows(struct compactor *k, uint32_t rows, bool *is_stopped)
{
    uint32_t kept = 0, obj;
    *is_stopped = false;
    for (ev_id i = 0; i < rows && !*is_stopped; i++) {
        if (!move_access(k, i, &kept) && keep_row(k, i, &obj))
            move_row(k, i, kept++, obj);
        *is_stopped = i % STOP_EVERY == 0 && stop_signal();
    }
    return kept;
}

int build_compact(struct builder *b, const struct cutting *cut, struct err *err)
{
    struct model *m = b->m;
    uint32_t rows = m->ev_count;
    bool is_stopped;
    struct compactor k = {.b = b, .cut = cut};
    m->idx = column_get(m->files, rows * sizeof *m->idx);
    m->link = column_get(m->files, rows * sizeof *m->link);
    m->threads = mem_get(m->thread_count * sizeof *m->threads);
    for (thr_id t = 0; t < m->thread_count; t++)
        m->threads[t] = (struct model_thread){.create = NONE};
    m->cell_first = mem_zeroed(m->cell_count + 1, sizeof *m->cell_first);
    m->cell_reads = mem_zeroed(m->cell_count + 1, sizeof *m->cell_reads);
    m->sync_first = mem_zeroed(m->sync_count + 1, sizeof *m->sync_first);
    spread_init(b);
    k.last_write = mem_get(cut->cell_count * sizeof *k.last_write);
    memset(k.last_write, 0xff, cut->cell_count * sizeof *k.last_write);
    k.read_since = mem_zeroed(m->thread_count + 1, 1);
    k.branched = mem_zeroed(m->thread_count + 1, 1);
    k.told = mem_zeroed(m->thread_count + 1, 1);

    m->ev_count = move_rows(&k, rows, &is_stopped);
    m->sources = k.sources.at;
    m->source_count = k.sources.len;
    shrink(m);
    free(k.last_write);
    free(k.read_since);
    free(k.branched);
    free(k.told);
    return is_stopped ? err_set(err, "stopped") : 0;
}
