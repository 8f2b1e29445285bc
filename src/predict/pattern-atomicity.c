/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-atomicity: another thread's access between two of one thread to the same cell, in
 * one of the five ways that no serial order explains: RWR, WWR, WRW, RWW, WWW. */
#include "predict/engine.h"

#include <string.h>

struct cell_accesses {
    VEC(ev_id) at; /* by thread, program order; an update once */
};

static const char *const names[] = {"RWR", "WWR", "WRW", "RWW", "WWW"};

static bool comes_first(const struct model *m, ev_id a, ev_id b)
{
    if (m->ev[a].thr != m->ev[b].thr)
        return m->ev[a].thr < m->ev[b].thr;
    return m->idx[a] < m->idx[b];
}

static void merge(const struct model *m, cell_id c, struct cell_accesses *out)
{
    uint32_t w = m->cell_first[c], r = m->cell_reads[c];
    out->at.len = 0;
    while (w < m->cell_reads[c] || r < m->cell_first[c + 1]) {
        bool write = r == m->cell_first[c + 1] ||
                     (w < m->cell_reads[c] && !comes_first(m, m->accesses[r], m->accesses[w]));
        ev_id e = m->accesses[write ? w++ : r++];
        if (out->at.len == 0 || out->at.at[out->at.len - 1] != e)
            vec_push(&out->at, e);
    }
}

static const char *pattern_of(const struct model *m, ev_id a, ev_id b, ev_id c)
{
    char name[4] = {model_writes(m, a) ? 'W' : 'R', model_writes(m, b) ? 'W' : 'R',
                    model_writes(m, c) ? 'W' : 'R', 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memcmp(names[i], name, sizeof name) == 0)
            return names[i];
    return NULL;
}

static bool first_shared(const struct model *m, const ev_id *e, cell_id c)
{
    cell_id first = 0;
    for (int i = 0; i < 3; i++)
        if (model_cells(m, e[i]).first > first)
            first = model_cells(m, e[i]).first;
    return c == first;
}

static void ask(struct predictor *p, const ev_id *e, cell_id c, predicted_fn found, void *arg)
{
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 3},
                          .pattern = pattern_of(p->m, e[0], e[1], e[2])};
    if (!x.pattern || !first_shared(p->m, e, c))
        return;
    for (int i = 0; i < 3; i++)
        x.query.number[i] = p->m->number[e[i]];
    found(arg, &x, predict(p, &x.query, NULL));
}

static void list(struct predictor *p, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    struct cell_accesses all = {0};
    for (cell_id c = 0; c < m->cell_count; c++) {
        merge(m, c, &all);
        for (uint32_t i = 0; i < all.at.len; i++)
            for (uint32_t j = i + 1; j < all.at.len; j++) {
                ev_id e[3] = {all.at.at[i], NONE, all.at.at[j]};
                if (m->ev[e[0]].thr != m->ev[e[2]].thr)
                    break;
                for (uint32_t r = 0; r < all.at.len; r++) {
                    e[1] = all.at.at[r];
                    if (m->ev[e[1]].thr != m->ev[e[0]].thr)
                        ask(p, e, c, found, arg);
                }
            }
    }
    vec_done(&all.at);
}

/* ---- the everyday search --------------------------------------------------------------- */

struct scan {
    struct predictor *p;
    struct cell_accesses all; /* of the cell under way */
    struct tries tries;
    predicted_fn found;
    void *arg;
};

/* Does some section of a lock hold both? */
static bool in_one_section(const struct model *m, ev_id a, ev_id b)
{
    uint32_t n = m->idx[b];
    for (uint32_t i = model_held(m, m->ev[b].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (m->idx[m->acquires[i]] < m->idx[a])
            return true;
    return false;
}

static void consider(struct scan *s, ev_id a, ev_id remote, ev_id b)
{
    struct predictor *p = s->p;
    ev_id e[3] = {a, remote, b};
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 3},
                          .pattern = pattern_of(p->m, a, remote, b)};
    uint64_t key = sites_key(p, e, 3);
    if (!x.pattern || share_a_lock(p->m, a, remote) || !tries_left(&s->tries, key))
        return;
    for (int i = 0; i < 3; i++)
        x.query.number[i] = p->m->number[e[i]];
    enum answer answer = predict(p, &x.query, NULL);
    tries_note(&s->tries, key, answer);
    s->found(s->arg, &x, answer);
}

/* With the accesses of each other thread that are nearest in the trace. */
static void consider_others(struct scan *s, ev_id a, ev_id b)
{
    const struct model *m = s->p->m;
    const ev_id *all = s->all.at.at;
    uint32_t len = s->all.at.len;
    for (thr_id t = 0; t < s->p->k; t++) {
        if (t == m->ev[a].thr)
            continue;
        uint32_t at = list_before(m, all, len, t, idx_from(s->p, t, m->threads[t].len, a));
        if (at > 0 && m->ev[all[at - 1]].thr == t)
            consider(s, a, all[at - 1], b);
        if (at < len && m->ev[all[at]].thr == t)
            consider(s, a, all[at], b);
    }
}

/* Two accesses in a row in one section of a lock are meant to belong together. */
static void scan(struct predictor *p, predicted_fn found, void *arg)
{
    const struct model *m = p->m;
    struct scan s = {.p = p, .found = found, .arg = arg};
    for (cell_id c = 0; c < m->cell_count; c++) {
        merge(m, c, &s.all);
        for (uint32_t i = 0; i + 1 < s.all.at.len; i++) {
            ev_id a = s.all.at.at[i], b = s.all.at.at[i + 1];
            if (m->ev[a].thr == m->ev[b].thr && in_one_section(m, a, b))
                consider_others(&s, a, b);
        }
    }
    vec_done(&s.all.at);
    map_done(&s.tries.by_sites);
}

const struct pattern pattern_atomicity = {
    .name = "atomicity",
    .help = "another thread's access between two that belong together",
    .list = list,
    .scan = scan,
};
