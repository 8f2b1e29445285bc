/* SPDX-License-Identifier: Apache-2.0
 *
 * index: step 4 of building a model. Counting sorts: count, sum, fill. Every part comes to be
 * in the order thread, program order, ready for binary search: it is filled along the trace if
 * it was counted by thread, else thread by thread. */
#include "model/making.h"

#include "base/stop.h"

#include <string.h>

/* An event's place in the indices that are filled along the trace. */
static inline void fill_one(struct model *m, const struct spread *spread, ev_id e, struct row r)
{
    if (kind_in_sync_index(r.kind))
        m->sync_events[spread->syncs[(size_t)m->obj[e] * m->thread_count + r.thr]++] = e;
    if (!kind_is_memory(r.kind))
        return;
    struct span s = model_cells(m, e);
    bool reads = kind_reads(r.kind), writes = kind_writes(r.kind, r.detail);
    for (cell_id c = s.first; c < s.first + s.count; c++) {
        uint32_t *next = spread->cells + (size_t)c * 2 * m->thread_count + r.thr;
        if (writes)
            m->accesses[next[0]++] = e;
        if (reads)
            m->accesses[next[m->thread_count]++] = e;
    }
}

/* False: a stop came. */
static bool index_threads(struct model *m, const struct spread *spread)
{
    bool is_stopped = false;
    uint32_t first = 0, acquires = 0;
    for (thr_id t = 0; t < m->thread_count; t++) {
        m->threads[t].first = first;
        m->threads[t].acquire_first = acquires;
        first += m->threads[t].len;
        acquires += m->threads[t].acquire_count;
    }
    uint32_t *next = mem_get((m->thread_count + 1) * sizeof *next);
    for (thr_id t = 0; t < m->thread_count; t++)
        next[t] = m->threads[t].acquire_first;
    m->acquire_count = acquires;
    m->by_thread = column_get(m->files, m->ev_count * sizeof *m->by_thread);
    m->acquires = column_get(m->files, acquires * sizeof *m->acquires);
    m->acquires_before =
        column_get(m->files, (m->ev_count / HELD_STRIDE + 1) * sizeof *m->acquires_before);
    m->acquires_before[m->ev_count / HELD_STRIDE] = acquires; /* if nothing is there */
    for (ev_id e = 0; e < m->ev_count && !is_stopped; e++) {
        struct row r = m->ev[e];
        is_stopped = e % STOP_EVERY == 0 && stop_signal();
        CHECK(m->idx[e] < m->threads[r.thr].len);
        uint32_t place = m->threads[r.thr].first + m->idx[e];
        m->by_thread[place] = e;
        if (place % HELD_STRIDE == 0)
            m->acquires_before[place / HELD_STRIDE] = next[r.thr];
        if (r.kind == EV_ACQUIRE)
            m->acquires[next[r.thr]++] = e;
        if (spread->cells)
            fill_one(m, spread, e, r);
    }
    free(next);
    return !is_stopped;
}

/* outer: the latest acquire of the thread before this one that is still held here. Following
 * it from the last acquire before some point meets every lock held there. */
static void index_outer(struct model *m)
{
    m->outer = column_get(m->files, m->acquire_count * sizeof *m->outer);
    for (thr_id t = 0; t < m->thread_count; t++) {
        uint32_t first = m->threads[t].acquire_first;
        for (uint32_t at = first; at < first + m->threads[t].acquire_count; at++) {
            uint32_t outer = at == first ? NONE : at - 1;
            while (outer != NONE && m->link[m->acquires[outer]] < m->acquires[at])
                outer = m->outer[outer];
            m->outer[at] = outer;
        }
    }
}

/* From counts to starts, where the next entry goes. */
static void sum_counts(struct model *m)
{
    uint64_t at = 0;
    for (cell_id c = 0; c < m->cell_count; c++) {
        uint32_t writes = m->cell_first[c], reads = m->cell_reads[c];
        m->cell_first[c] = (uint32_t)at;
        m->cell_reads[c] = (uint32_t)at + writes;
        at += (uint64_t)writes + reads;
    }
    CHECK(at < UINT32_MAX);
    m->cell_first[m->cell_count] = (uint32_t)at;
    uint32_t sync_at = 0;
    for (sync_id s = 0; s < m->sync_count; s++) {
        uint32_t count = m->sync_first[s];
        m->sync_first[s] = sync_at;
        sync_at += count;
    }
    m->sync_first[m->sync_count] = sync_at;
}

/* Filling moved every start to its end, which is the next one's start. */
static void restore_starts(struct model *m)
{
    for (cell_id c = m->cell_count; c-- > 0;) {
        uint32_t reads = m->cell_first[c]; /* where its writes ended */
        m->cell_first[c] = c == 0 ? 0 : m->cell_reads[c - 1];
        m->cell_reads[c] = reads;
    }
    for (sync_id s = m->sync_count; s-- > 0;)
        m->sync_first[s] = s == 0 ? 0 : m->sync_first[s - 1];
}

static void fill(struct model *m)
{
    for (uint32_t i = 0; i < m->ev_count; i++) {
        ev_id e = m->by_thread[i];
        struct row r = m->ev[e];
        if (kind_in_sync_index(r.kind))
            m->sync_events[m->sync_first[m->obj[e]]++] = e;
        if (!kind_is_memory(r.kind))
            continue;
        struct span s = model_cells(m, e);
        bool reads = kind_reads(r.kind), writes = kind_writes(r.kind, r.detail);
        for (cell_id c = s.first; c < s.first + s.count; c++) {
            if (writes)
                m->accesses[m->cell_first[c]++] = e;
            if (reads)
                m->accesses[m->cell_reads[c]++] = e;
        }
    }
}

/* The same for counts by thread, in which the starts remain as well. */
static uint32_t sum_row(uint32_t *row, uint32_t count, uint64_t *at)
{
    uint32_t first = (uint32_t)*at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entries = row[i];
        row[i] = (uint32_t)*at;
        *at += entries;
    }
    return first;
}

static void sum_spread(struct model *m, const struct spread *spread)
{
    uint32_t k = m->thread_count;
    uint64_t at = 0, sync_at = 0;
    for (cell_id c = 0; c < m->cell_count; c++) {
        m->cell_first[c] = sum_row(spread->cells + (size_t)2 * c * k, k, &at);
        m->cell_reads[c] = sum_row(spread->cells + ((size_t)2 * c + 1) * k, k, &at);
    }
    for (sync_id s = 0; s < m->sync_count; s++)
        m->sync_first[s] = sum_row(spread->syncs + (size_t)s * k, k, &sync_at);
    CHECK(at < UINT32_MAX);
    m->cell_first[m->cell_count] = (uint32_t)at;
    m->sync_first[m->sync_count] = (uint32_t)sync_at;
}

int build_index(struct model *m, const struct spread *spread, struct err *err)
{
    if (spread->cells)
        sum_spread(m, spread);
    else
        sum_counts(m);
    m->accesses = column_get(m->files, m->cell_first[m->cell_count] * sizeof *m->accesses);
    m->sync_events =
        column_get(m->files, m->sync_first[m->sync_count] * sizeof *m->sync_events);
    if (!index_threads(m, spread))
        return err_set(err, "stopped");
    index_outer(m);
    if (spread->cells)
        return 0;
    fill(m);
    restore_starts(m);
    return 0;
}
