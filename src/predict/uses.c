/* SPDX-License-Identifier: Apache-2.0
 *
 * uses: what other threads do with a sync object that could come behind its end, or before its
 * beginning. Of each thread the uses are looked at from the last one back, until the end cannot
 * happen without them; or from the first one on, until they cannot happen without the
 * beginning. */
#include "predict/engine.h"

/* Who waits is a user from when he begins to. What only tells that a call is over is none: an
 * object may end as soon as nobody is blocked on it. */
static bool is_use(unsigned kind)
{
    switch (kind) {
    case EV_ACQUIRE:
    case EV_REFUSED:
    case EV_TIMEOUT:
    case EV_WAIT_ENTER:
    case EV_SIGNAL:
    case EV_BROADCAST:
    case EV_SEM_POST:
    case EV_SEM_WAIT:
    case EV_ARRIVE:
        return true;
    default:
        return false;
    }
}

/* Before the beginning it is of another pattern than the one that is searched for: then the use
 * comes first. */
static void consider(struct scan *s, ev_id first, ev_id second, const struct pattern *pattern)
{
    ev_id e[] = {first, second};
    struct predicted x = {.pattern = pattern, .query = {.kind = QUERY_ORDER, .count = 2}};
    if (!intent_ignores(s->intent, pattern ? first : second))
        scan_ask(s, &x, e, sites_key(s->p, e, 2));
}

/* Was the object made anew between the two? Then the use is of another one. */
static bool is_made_anew(const struct model *m, sync_id s, ev_id end, ev_id use)
{
    for (uint32_t i = m->sync_first[s]; i < m->sync_first[s + 1]; i++) {
        ev_id e = m->sync_events[i];
        if (m->ev[e].kind == EV_INIT && (e > end) != (e > use))
            return true;
    }
    return false;
}

static void consider_thread(struct scan *s, const struct ending *x, const ev_id *list,
                            uint32_t len)
{
    const struct model *m = s->p->m;
    for (uint32_t i = len; i-- > 0;) {
        unsigned kind = m->ev[list[i]].kind;
        ev_id use = list[i], end = kind == EV_ACQUIRE ? m->link[use] : NONE;
        bool is_life = kind == EV_INIT || kind == EV_DESTROY;
        if (!(is_use(kind) || (is_life && x->is_memory)) ||
            (!x->is_memory && is_made_anew(m, x->sync, x->end, use)))
            continue;
        if (!must_precede(s->p, use, x->end))
            consider(s, x->end, use, NULL);
        else if (end != NONE && !must_precede(s->p, end, x->end))
            consider(s, x->end, end, NULL);
        else
            return;
    }
}

/* The uses of the object by one thread. */
static const ev_id *uses_of(const struct model *m, sync_id s, thr_id t, uint32_t *len)
{
    const ev_id *list = m->sync_events + m->sync_first[s];
    uint32_t all = m->sync_first[s + 1] - m->sync_first[s];
    uint32_t from = list_before(m, list, all, t, 0);
    *len = list_before(m, list, all, t + 1, 0) - from;
    return list + from;
}

void uses_behind(struct scan *s, const struct ending *x)
{
    const struct model *m = s->p->m;
    for (thr_id t = 0; t < s->p->k; t++) {
        uint32_t len;
        const ev_id *list = uses_of(m, x->sync, t, &len);
        if (t != m->ev[x->end].thr)
            consider_thread(s, x, list, len);
    }
}

void uses_before(struct scan *s, ev_id init)
{
    const struct model *m = s->p->m;
    for (thr_id t = 0; t < s->p->k; t++) {
        uint32_t len;
        const ev_id *list = uses_of(m, m->obj[init], t, &len);
        for (uint32_t i = 0; t != m->ev[init].thr && i < len; i++) {
            if (must_precede(s->p, init, list[i]))
                break;
            if (list[i] > init && is_use(m->ev[list[i]].kind))
                consider(s, list[i], init, &pattern_uninitialised);
        }
    }
}
