/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-double-free: two threads free the same block. A run in which both do it has failed
 * already; in one that passed the second thread found the pointer gone. So: a thread reads a
 * pointer, frees what it points to and changes the pointer; another thread does the same read,
 * at the same place in the source, and could do it before the change: it sees the same pointer
 * and frees again. */
#include "predict/engine.h"

#include <string.h>

enum { TWINS_MAX = 256 }; /* reads of a cell that are looked at */

struct search {
    struct scan *s;
    ev_id *last; /* by site: its last event so far */
    thr_id thr;
    uint32_t site; /* of the free */
};

/* The second thread's read, and the change it has to come before. If nothing keeps them apart
 * both can be next at once, and the block has been freed by then. */
static void consider(struct search *h, ev_id read, ev_id twin, ev_id change)
{
    struct predictor *p = h->s->p;
    const struct model *m = p->m;
    bool atomic = m->ev[change].kind != EV_WRITE || m->ev[twin].kind != EV_READ;
    struct predicted x = {.query = {.kind = QUERY_RACE, .count = 2}, .site = h->site};
    if (!atomic && !share_a_lock(m, twin, change)) {
        ev_id e[] = {change, twin};
        scan_ask(h->s, &x, e, sites_key(p, e, 2));
        return;
    }
    ev_id e[] = {read, twin, change};
    x.query = (struct query){.kind = QUERY_ORDER, .count = 3};
    if (!is_kept_out(m, read, change, twin))
        scan_ask_up_to(h->s, &x, e, 0, twin, sites_key(p, e, 3));
}

/* What is freed may come from this site. */
static void visit_source(void *arg, uint32_t site)
{
    struct search *h = arg;
    const struct predictor *p = h->s->p;
    const struct model *m = p->m;
    ev_id read = h->last[site];
    if (read == NONE || m->ev[read].thr != h->thr || !model_reads(m, read))
        return;
    cell_id c = model_cells(m, read).first;
    ev_id change = first_write(p, c, h->thr, m->idx[read] + 1, NONE);
    if (change == NONE)
        return;
    uint32_t end = m->cell_first[c + 1];
    for (uint32_t i = m->cell_reads[c]; i < end && i - m->cell_reads[c] < TWINS_MAX; i++) {
        ev_id twin = m->accesses[i];
        if (m->ev[twin].thr != h->thr && model_site(m, twin) == site &&
            !must_precede(p, change, twin) && !intent_ignores(h->s->intent, twin))
            consider(h, read, twin, change);
    }
}

/* Follows a thread, and stops at each of its frees. */
static void walk_thread(struct search *h, const uint32_t *next_of, uint32_t freeing)
{
    const struct model *m = h->s->p->m;
    for (uint32_t i = 0; i <= m->threads[h->thr].len && freeing != NONE; i++) {
        bool over = i == m->threads[h->thr].len;
        ev_id e = over ? NONE : model_at(m, h->thr, i);
        while (freeing != NONE &&
               (over || model_number(m, e) >= m->freeings.at[freeing].number)) {
            h->site = m->freeings.at[freeing].site;
            intent_sources(h->s->intent, h->site, visit_source, h);
            freeing = next_of[freeing];
        }
        if (!over)
            h->last[model_site(m, e)] = e;
    }
}

/* Frees by thread, as linked lists. */
static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    struct search h = {.s = s};
    uint32_t count = m->freeings.len;
    if (count == 0)
        return;
    size_t bytes = (m->trace->sites.len + 1) * sizeof *h.last;
    h.last = mem_get(bytes);
    memset(h.last, 0xff, bytes);
    uint32_t *first = mem_get((s->p->k + 1) * sizeof *first);
    uint32_t *next_of = mem_get(count * sizeof *next_of);
    memset(first, 0xff, (s->p->k + 1) * sizeof *first);
    for (uint32_t i = count; i-- > 0;) {
        next_of[i] = first[m->freeings.at[i].thr];
        first[m->freeings.at[i].thr] = i;
    }
    for (h.thr = 0; h.thr < s->p->k; h.thr++)
        walk_thread(&h, next_of, first[h.thr]);
    free(h.last);
    free(first);
    free(next_of);
}

const struct pattern pattern_double_free = {
    .id = PATTERN_DOUBLE_FREE,
    .scan = scan,
};
