/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-use-after-free: a block is freed, or the frame of a variable is left, before another
 * thread's access to it. Of each other thread the accesses are looked at from its last one
 * back, until the free cannot happen without them. A sync object in the block is used by what
 * is done with it. */
#include "predict/engine.h"

static void consider(struct scan *s, ev_id freeing, ev_id e)
{
    ev_id both[] = {freeing, e};
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 2}};
    if (!ev_ends_life(s->p->m->ev[e].kind) && !intent_ignores(s->intent, e) &&
        !intent_ignores(s->intent, freeing))
        scan_ask(s, &x, both, sites_key(s->p, both, 2));
}

/* Of a list by thread and program order. */
static void consider_list(struct scan *s, ev_id freeing, const ev_id *list, uint32_t len)
{
    const struct predictor *p = s->p;
    const struct model *m = p->m;
    for (uint32_t i = len; i > 0;) {
        thr_id t = m->ev[list[i - 1]].thr;
        uint32_t first = list_before(m, list, len, t, 0);
        for (; t != m->ev[freeing].thr && i > first; i--) {
            if (must_precede(p, list[i - 1], freeing))
                break;
            consider(s, freeing, list[i - 1]);
        }
        i = first;
    }
}

/* The sync objects that lie in one object of the space, as linked lists. */
struct inside {
    struct map first;
    sync_id *next;
};

static struct inside inside_new(const struct model *m)
{
    struct inside in = {.next = mem_get((m->sync_count + 1) * sizeof *in.next)};
    for (sync_id i = m->sync_count; i-- > 0;) {
        if (m->syncs[i].object == NONE)
            continue;
        uint32_t *first = map_at(&in.first, m->syncs[i].object);
        in.next[i] = *first;
        *first = i;
    }
    return in;
}

static void consider_syncs(struct scan *s, const struct inside *in, ev_id freeing)
{
    const struct model *m = s->p->m;
    obj_id object = m->cells[model_cells(m, freeing).first].object;
    sync_id first = object == NONE ? NONE : map_find(&in->first, object);
    for (sync_id i = first; i != NONE; i = in->next[i])
        uses_behind(s, &(struct ending){.end = freeing, .sync = i, .is_memory = true});
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    struct inside in = inside_new(m);
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++) {
        if (!ev_ends_life(m->ev[e].kind))
            continue;
        struct span cells = model_cells(m, e);
        for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
            uint32_t first = m->cell_first[c], reads = m->cell_reads[c];
            consider_list(s, e, m->accesses + first, reads - first);
            consider_list(s, e, m->accesses + reads, m->cell_first[c + 1] - reads);
        }
        consider_syncs(s, &in, e);
    }
    map_done(&in.first);
    free(in.next);
}

const struct pattern pattern_use_after_free = {
    .id = PATTERN_USE_AFTER_FREE,
    .scan = scan,
};
