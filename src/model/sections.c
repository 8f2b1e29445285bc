/* SPDX-License-Identifier: Apache-2.0
 *
 * sections: step 3 of building a model. Which release ends which acquire, and which events
 * make up a condition wait and what woke it. */
#include "model/making.h"

#include <string.h>

/* ---- lock sections ----------------------------------------------------------------------- */

struct open_lock {
    sync_id lock;
    ev_id acquire;
};

typedef VEC(struct open_lock) open_locks;

static void section_end(struct model *m, open_locks *open, ev_id release)
{
    for (uint32_t i = open->len; i-- > 0;) {
        if (open->at[i].lock != m->obj[release])
            continue;
        m->link[release] = open->at[i].acquire;
        m->link[open->at[i].acquire] = release;
        memmove(&open->at[i], &open->at[i + 1], (open->len - i - 1) * sizeof *open->at);
        open->len--;
        return;
    }
    check_failed(__FILE__, __LINE__, "a release that nothing precedes was dropped before");
}

void build_sections(struct model *m)
{
    open_locks *open = mem_zeroed(m->thread_count + 1, sizeof *open);
    for (ev_id e = 0; e < m->ev_count; e++)
        if (m->ev[e].kind == EV_ACQUIRE)
            vec_push(&open[m->ev[e].thr], (struct open_lock){m->obj[e], e});
        else if (m->ev[e].kind == EV_RELEASE)
            section_end(m, &open[m->ev[e].thr], e);
    for (thr_id t = 0; t < m->thread_count; t++)
        vec_done(&open[t]);
    free(open);
}

/* ---- waits ------------------------------------------------------------------------------- */

/* Waiters of one condition that nobody has woken yet, longest waiting first. */
typedef VEC(uint32_t) queue;

struct waiting {
    VEC(struct wait) waits;
    uint32_t *current;      /* by thread: its wait under way, or NONE */
    ev_id *released;        /* by thread: its last release */
    ev_id *previous;        /* by thread: its last event */
    queue *queues;          /* by sync */
    const struct map *said; /* what the trace says */
    bool fifo; /* the trace does not say who woke whom: the longest waiter is woken */
};

static void wait_begin(struct waiting *w, const struct model *m, ev_id e)
{
    thr_id t = m->ev[e].thr;
    struct wait new = {e, NONE, NONE, NONE, NONE, m->obj[e], NONE};
    if (m->ev[e].detail & DETAIL_SPLIT) {
        new.release = w->released[t];
        new.lock = m->obj[new.release];
    }
    w->current[t] = w->waits.len;
    vec_push(&w->queues[m->obj[e]], w->waits.len);
    vec_push(&w->waits, new);
}

static bool wakes(unsigned kind)
{
    return kind == EV_SIGNAL || kind == EV_BROADCAST || kind == EV_FUTEX_WAKE;
}

/* The event that the trace names as waker, if it can have been it. */
static ev_id waker(const struct model *m, const struct wait *w, uint32_t number)
{
    ev_id e = number == NONE ? NONE : model_find(m, number);
    if (e == NONE || e < w->enter || m->obj[e] != w->cond || !wakes(m->ev[e].kind))
        return NONE;
    return e;
}

/* A futex wait is told when it is over; its thread did nothing since the request. */
static void futex_wait(struct waiting *w, const struct model *m, ev_id e)
{
    ev_id enter = w->previous[m->ev[e].thr];
    if (enter == NONE || m->ev[enter].kind != EV_ATOMIC_LOAD)
        return;
    struct wait new = {enter, NONE, NONE, e, NONE, m->obj[e], NONE};
    new.notify = waker(m, &new, map_find(w->said, model_number(m, e)));
    vec_push(&w->waits, new);
}

/* Another event of a thread that is waiting. */
static void wait_step(struct waiting *w, const struct model *m, ev_id e)
{
    thr_id t = m->ev[e].thr;
    struct wait *wait = &w->waits.at[w->current[t]];
    switch (m->ev[e].kind) {
    case EV_RELEASE:
        if (wait->lock == NONE) {
            wait->release = e;
            wait->lock = m->obj[e];
        }
        break;
    case EV_ACQUIRE:
        if (m->obj[e] == wait->lock)
            wait->acquire = e;
        if (m->ev[wait->enter].detail & DETAIL_SPLIT)
            w->current[t] = NONE;
        break;
    case EV_WAIT_LEAVE:
        wait->leave = e;
        if (!w->fifo)
            wait->notify = waker(m, wait, map_find(w->said, model_number(m, e)));
        w->current[t] = NONE;
        break;
    default:
        break;
    }
}

static void notify(struct waiting *w, const struct model *m, ev_id e)
{
    queue *q = &w->queues[m->obj[e]];
    uint32_t woken = m->ev[e].kind == EV_BROADCAST ? q->len : q->len > 0;
    if (!w->fifo || woken == 0)
        return;
    for (uint32_t i = 0; i < woken; i++)
        w->waits.at[q->at[i]].notify = e;
    memmove(q->at, q->at + woken, (q->len - woken) * sizeof *q->at);
    q->len -= woken;
}

/* An imported wait that came back before anybody signalled must not be woken later. */
static void wait_over(struct waiting *w, uint32_t wait)
{
    queue *q = &w->queues[w->waits.at[wait].cond];
    for (uint32_t i = 0; i < q->len; i++)
        if (q->at[i] == wait) {
            memmove(q->at + i, q->at + i + 1, (q->len - i - 1) * sizeof *q->at);
            q->len--;
            return;
        }
}

void build_waits(struct model *m, const struct map *said)
{
    struct waiting w = {.said = said, .fifo = m->trace->head.flags & TRACE_IMPORTED};
    w.current = mem_get((m->thread_count + 1) * sizeof *w.current);
    w.released = mem_get((m->thread_count + 1) * sizeof *w.released);
    w.previous = mem_get((m->thread_count + 1) * sizeof *w.previous);
    memset(w.current, 0xff, (m->thread_count + 1) * sizeof *w.current);
    memset(w.previous, 0xff, (m->thread_count + 1) * sizeof *w.previous);
    memset(w.released, 0xff, (m->thread_count + 1) * sizeof *w.released);
    w.queues = mem_zeroed(m->sync_count + 1, sizeof *w.queues);
    for (ev_id e = 0; e < m->ev_count; e++) {
        uint32_t before = w.current[m->ev[e].thr];
        if (before != NONE)
            wait_step(&w, m, e);
        if (before != NONE && w.current[m->ev[e].thr] == NONE)
            wait_over(&w, before);
        if (m->ev[e].kind == EV_WAIT_ENTER)
            wait_begin(&w, m, e);
        else if (m->ev[e].kind == EV_SIGNAL || m->ev[e].kind == EV_BROADCAST)
            notify(&w, m, e);
        else if (m->ev[e].kind == EV_RELEASE)
            w.released[m->ev[e].thr] = e;
        else if (m->ev[e].kind == EV_FUTEX_WAIT)
            futex_wait(&w, m, e);
        w.previous[m->ev[e].thr] = e;
    }
    for (sync_id s = 0; s < m->sync_count; s++)
        vec_done(&w.queues[s]);
    free(w.queues);
    free(w.current);
    free(w.released);
    free(w.previous);
    m->waits = w.waits.at;
    m->wait_count = w.waits.len;
}
