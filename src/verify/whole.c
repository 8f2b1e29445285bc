/* SPDX-License-Identifier: Apache-2.0
 *
 * whole: all events of a trace in an order that locks, creation and joins allow, that has some
 * of them in a given order, and that is otherwise as near to another order as it can be: at
 * every step the thread goes on whose next event comes first there. */
#include "verify/order.h"

#include <stdlib.h>

struct placing {
    const struct model *m;
    const uint32_t *rank;
    const ev_id *line; /* these in this order */
    uint32_t line_count, line_next;
    bool *is_lined;   /* by event */
    uint32_t *next;   /* by thread: index of its next event */
    uint32_t *owners; /* by lock: sections that are open */
    thr_id *owner;    /* by lock: of the last one that is not shared */
    bool *is_born;    /* by thread */
};

static bool is_shared(const struct model *m, ev_id e)
{
    return m->ev[e].detail & FLAG(SHARED);
}

static bool is_lock(const struct model *m, ev_id e)
{
    return m->syncs[m->obj[e]].on == ON_LOCK;
}

/* May this event come next? */
static bool may_come(const struct placing *p, ev_id e)
{
    const struct model *m = p->m;
    if (p->is_lined[e] && p->line[p->line_next] != e)
        return false;
    if (m->ev[e].kind == EV_JOIN)
        return p->next[m->obj[e]] == m->threads[m->obj[e]].len;
    if (m->ev[e].kind != EV_ACQUIRE || !is_lock(m, e))
        return true;
    sync_id lock = m->obj[e];
    return p->owners[lock] == 0 || (is_shared(m, e) && p->owner[lock] == NONE);
}

static void give_back(struct placing *p, sync_id lock)
{
    if (p->owners[lock] > 0)
        p->owners[lock]--;
    p->owner[lock] = NONE;
}

/* Sections that the trace ends in end with their thread. */
static void give_rest_back(struct placing *p, thr_id t)
{
    const struct model *m = p->m;
    uint32_t first = m->threads[t].acquire_first;
    for (uint32_t i = first; i < first + m->threads[t].acquire_count; i++)
        if (m->link[m->acquires[i]] == NONE && is_lock(m, m->acquires[i]))
            give_back(p, m->obj[m->acquires[i]]);
}

static void place(struct placing *p, ev_id e)
{
    CHECK(e < p->m->ev_count && p->next[p->m->ev[e].thr] == p->m->idx[e]);
    CHECK(!p->is_lined[e] || p->line[p->line_next] == e);
    const struct model *m = p->m;
    thr_id t = m->ev[e].thr;
    p->next[t]++;
    if (p->is_lined[e])
        p->line_next++;
    if (m->ev[e].kind == EV_CREATE)
        p->is_born[m->obj[e]] = true;
    if (m->ev[e].kind == EV_ACQUIRE && is_lock(m, e)) {
        p->owners[m->obj[e]]++;
        p->owner[m->obj[e]] = is_shared(m, e) ? NONE : t;
    }
    if (m->ev[e].kind == EV_RELEASE && is_lock(m, e))
        give_back(p, m->obj[e]);
    if (p->next[t] == m->threads[t].len)
        give_rest_back(p, t);
}

/* The event to come next; NONE: no thread can go on. */
static ev_id choose(const struct placing *p)
{
    const struct model *m = p->m;
    ev_id best = NONE;
    for (thr_id t = 0; t < m->thread_count; t++) {
        if (p->next[t] == m->threads[t].len || !p->is_born[t])
            continue;
        ev_id e = m->by_thread[m->threads[t].first + p->next[t]];
        if ((best == NONE || p->rank[e] < p->rank[best]) && may_come(p, e))
            best = e;
    }
    return best;
}

bool order_whole(const struct model *m, const uint32_t *rank, const ev_id *line,
                 uint32_t line_count, ev_id *out)
{
    struct placing p = {.m = m, .rank = rank, .line = line, .line_count = line_count};
    uint32_t count = 0;
    p.is_lined = mem_zeroed(m->ev_count + 1, sizeof *p.is_lined);
    p.next = mem_zeroed(m->thread_count + 1, sizeof *p.next);
    p.owners = mem_zeroed(m->sync_count + 1, sizeof *p.owners);
    p.owner = mem_zeroed(m->sync_count + 1, sizeof *p.owner);
    p.is_born = mem_zeroed(m->thread_count + 1, sizeof *p.is_born);
    for (uint32_t i = 0; i < line_count; i++) {
        CHECK(line[i] < m->ev_count && !p.is_lined[line[i]]);
        p.is_lined[line[i]] = true;
    }
    for (thr_id t = 0; t < m->thread_count; t++)
        p.is_born[t] = m->threads[t].create == NONE;
    for (ev_id e; p.line_next < line_count && (e = choose(&p)) != NONE;) {
        place(&p, e);
        out[count++] = e;
    }
    CHECK(count <= m->ev_count);
    bool done = p.line_next == line_count;
    for (ev_id e; done && (e = choose(&p)) != NONE;) {
        place(&p, e);
        out[count++] = e;
    }
    free(p.is_lined);
    free(p.next);
    free(p.owners);
    free(p.owner);
    free(p.is_born);
    return done && count == m->ev_count;
}
