/* SPDX-License-Identifier: Apache-2.0
 *
 * index: step 4 of building a model. Counting sorts: count, sum, fill. Filling goes thread by
 * thread, so that every part is in the order thread, program order, ready for binary search. */
#include "model/making.h"

#include <string.h>

static void index_threads(struct model *m)
{
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
    m->by_thread = mem_get(m->ev_count * sizeof *m->by_thread);
    m->acquires = mem_get(acquires * sizeof *m->acquires);
    for (ev_id e = 0; e < m->ev_count; e++) {
        m->by_thread[m->threads[m->ev[e].thr].first + m->idx[e]] = e;
        if (m->ev[e].kind == EV_ACQUIRE)
            m->acquires[next[m->ev[e].thr]++] = e;
    }
    free(next);
}

static void index_acquires(struct model *m)
{
    uint32_t found = 0;
    m->acquires_before = mem_get((m->ev_count / HELD_STRIDE + 1) * sizeof *m->acquires_before);
    for (uint32_t i = 0; i < m->ev_count; i++) {
        if (i % HELD_STRIDE == 0)
            m->acquires_before[i / HELD_STRIDE] = found;
        found += m->ev[m->by_thread[i]].kind == EV_ACQUIRE;
    }
    if (m->ev_count % HELD_STRIDE == 0)
        m->acquires_before[m->ev_count / HELD_STRIDE] = found;
}

/* outer: the latest acquire of the thread before this one that is still held here. Following
 * it from the last acquire before some point meets every lock held there. */
static void index_outer(struct model *m)
{
    m->outer = mem_get(m->acquire_count * sizeof *m->outer);
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

void build_index(struct model *m)
{
    index_threads(m);
    index_acquires(m);
    index_outer(m);
    sum_counts(m);
    m->accesses = mem_get(m->cell_first[m->cell_count] * sizeof *m->accesses);
    m->sync_events = mem_get(m->sync_first[m->sync_count] * sizeof *m->sync_events);
    fill(m);
    restore_starts(m);
}
