/* SPDX-License-Identifier: Apache-2.0
 *
 * chain: see chain.h. The least set of events that has to happen is grown from b: whatever is
 * in it brings in what it waits for, and each growth remembers the link that caused it. It is
 * the same set as that of the prefix clocks of prediction, made by other code. */
#include "explain/chain.h"

#include "base/search.h"

#include <string.h>

/* So many of a thread's events have to happen since the link was met; of so many the reads
 * have to see what they saw. */
struct raise {
    thr_id thr;
    uint32_t len, firm;
    struct chain_link link;
};

struct growth {
    const struct model *m;
    enum chain_level level;
    bool firm;                /* every read counts */
    uint32_t *len, *firm_to;  /* by thread: what has been looked at */
    VEC(struct raise) raises; /* in the order in which they were met */
    struct map ended_by;      /* the event that ends a wait -> its notify */
    ev_id *given;             /* by event: acquire, sem-wait: what gave it, as recorded */
};

/* ---- what is asked of other threads ---------------------------------------------------- */

static void raise_by(struct growth *g, enum chain_step step, ev_id from, ev_id to,
                     uint32_t firm)
{
    thr_id t = g->m->ev[from].thr;
    uint32_t len = g->m->idx[from] + 1;
    if (t == g->m->ev[to].thr)
        return;
    if (g->firm && firm + 1 < len)
        firm = len - 1;
    vec_push(&g->raises, (struct raise){t, len, firm, {step, from, to}});
}

static void ask_end(struct growth *g, ev_id join)
{
    thr_id ended = g->m->obj[join];
    uint32_t len = ended < g->m->thread_count ? g->m->threads[ended].len : 0;
    if (len > 0)
        raise_by(g, CHAIN_JOIN, model_at(g->m, ended, len - 1), join, len);
}

static void ask_needs(struct growth *g, ev_id e)
{
    const struct model *m = g->m;
    uint32_t low = SEARCH(i, 0, m->need_count, m->needs[i].to < e);
    for (; low < m->need_count && m->needs[low].to == e; low++)
        raise_by(g, CHAIN_RULE, m->needs[low].from, e, 0);
}

static void ask_sources(struct growth *g, ev_id read)
{
    const struct model *m = g->m;
    struct span cells = model_cells(m, read);
    for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
        ev_id w = model_source(m, read, c);
        if (w != NONE) /* an update writes what it reads */
            raise_by(g, CHAIN_READ, w, read, m->idx[w] + (m->ev[w].kind == EV_RMW));
    }
}

/* What created e's thread, if it did so before the thread began. */
static ev_id creation(const struct model *m, ev_id e)
{
    ev_id create = m->threads[m->ev[e].thr].create;
    return create != NONE && create < model_at(m, m->ev[e].thr, 0) ? create : NONE;
}

/* ---- growing --------------------------------------------------------------------------- */

/* So many events of the thread have seen what they saw once this one has happened. */
static uint32_t decided_by(const struct model *m, ev_id e)
{
    switch (m->ev[e].kind) {
    case EV_CAS:
        return m->idx[e] + 1;
    case EV_BRANCH:
    case EV_CHANNEL_WRITE:
    case EV_CHANGE:
        return m->idx[e];
    default:
        return 0;
    }
}

static void happen(struct growth *g, ev_id e, uint32_t *firm)
{
    const struct model *m = g->m;
    uint32_t decided = decided_by(m, e), notify = map_find(&g->ended_by, e);
    *firm = decided > *firm ? decided : *firm;
    if (m->idx[e] == 0 && creation(m, e) != NONE)
        raise_by(g, CHAIN_FORK, creation(m, e), e, 0);
    if (m->ev[e].kind == EV_JOIN)
        ask_end(g, e);
    if (notify != NONE && g->level >= CHAIN_SYNC)
        raise_by(g, CHAIN_WAKE, notify, e, 0);
    ask_needs(g, e);
    if (g->given && g->given[e] != NONE)
        raise_by(g, CHAIN_AFTER, g->given[e], e, 0);
}

/* What the fork passed on counts as read at the thread's beginning. */
static void look(struct growth *g, ev_id e)
{
    const struct model *m = g->m;
    ev_id create = creation(m, e);
    if (m->idx[e] == 0 && create != NONE)
        raise_by(g, CHAIN_FORK, create, e, m->idx[create]);
    if (model_reads(m, e))
        ask_sources(g, e);
}

static void grow(struct growth *g, thr_id t, uint32_t len, uint32_t firm)
{
    for (uint32_t i = g->len[t]; i < len; i++)
        happen(g, model_at(g->m, t, i), &firm);
    if (len > g->len[t])
        g->len[t] = len;
    for (uint32_t i = g->firm_to[t]; g->level >= CHAIN_DATA && i < firm && i < g->len[t]; i++)
        look(g, model_at(g->m, t, i));
    if (firm > g->firm_to[t])
        g->firm_to[t] = firm;
}

/* ---- what the run had ------------------------------------------------------------------ */

static void find_waits(struct growth *g)
{
    for (uint32_t i = 0; i < g->m->wait_count; i++) {
        const struct wait *w = &g->m->waits[i];
        ev_id end = w->acquire != NONE ? w->acquire : w->leave;
        if (end != NONE && w->notify != NONE)
            *map_at(&g->ended_by, end) = w->notify;
    }
}

static void find_given(struct growth *g)
{
    const struct model *m = g->m;
    ev_id *last = mem_get((m->sync_count + 1) * sizeof *last);
    memset(last, 0xff, (m->sync_count + 1) * sizeof *last);
    g->given = mem_get((m->ev_count + 1) * sizeof *g->given);
    for (ev_id e = 0; e < m->ev_count; e++) {
        unsigned kind = m->ev[e].kind;
        g->given[e] = kind == EV_ACQUIRE || kind == EV_SEM_WAIT ? last[m->obj[e]] : NONE;
        if (kind == EV_RELEASE || kind == EV_SEM_POST)
            last[m->obj[e]] = e;
    }
    free(last);
}

/* ---- the answer ------------------------------------------------------------------------ */

/* The first link that made event e happen. */
static const struct chain_link *cause(const struct growth *g, ev_id e)
{
    for (uint32_t i = 0; i < g->raises.len; i++)
        if (g->raises.at[i].thr == g->m->ev[e].thr && g->raises.at[i].len > g->m->idx[e])
            return &g->raises.at[i].link;
    return NULL;
}

static void follow(const struct growth *g, ev_id a, ev_id b, chain *out)
{
    thr_id end = g->m->ev[b].thr;
    for (ev_id e = a; g->m->ev[e].thr != end || g->m->idx[e] > g->m->idx[b];) {
        const struct chain_link *l = cause(g, e);
        CHECK(l && out->len <= g->raises.len);
        vec_push(out, *l);
        e = l->to;
    }
}

bool chain_find(const struct model *m, ev_id a, ev_id b, enum chain_level level, bool firm,
                chain *out)
{
    struct growth g = {.m = m, .level = level, .firm = firm};
    g.len = mem_zeroed(m->thread_count + 1, sizeof *g.len);
    g.firm_to = mem_zeroed(m->thread_count + 1, sizeof *g.firm_to);
    find_waits(&g);
    if (level == CHAIN_RECORDED)
        find_given(&g);
    grow(&g, m->ev[b].thr, m->idx[b], firm ? m->idx[b] : 0);
    for (uint32_t i = 0; i < g.raises.len; i++) {
        struct raise r = g.raises.at[i];
        grow(&g, r.thr, r.len, r.firm);
    }
    bool found = g.len[m->ev[a].thr] > m->idx[a];
    out->len = 0;
    if (found)
        follow(&g, a, b, out);
    free(g.len);
    free(g.firm_to);
    free(g.given);
    vec_done(&g.raises);
    map_done(&g.ended_by);
    return found;
}
