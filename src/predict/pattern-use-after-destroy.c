/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-use-after-destroy: a sync object is destroyed before another thread's last use of
 * it, or while that thread holds it. */
#include "predict/engine.h"

static bool is_use(unsigned kind)
{
    switch (kind) {
    case EV_ACQUIRE:
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

static void consider(struct scan *s, ev_id destroy, ev_id use)
{
    ev_id e[] = {destroy, use};
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 2}};
    if (!intent_ignores(s->intent, use))
        scan_ask(s, &x, e, sites_key(s->p, e, 2));
}

/* Was the object made anew between the two? Then the use is of another one. */
static bool is_made_anew(const struct model *m, ev_id destroy, ev_id use)
{
    sync_id s = m->obj[destroy];
    for (uint32_t i = m->sync_first[s]; i < m->sync_first[s + 1]; i++) {
        ev_id e = m->sync_events[i];
        if (m->ev[e].kind == EV_INIT && (e > destroy) != (e > use))
            return true;
    }
    return false;
}

/* The uses of a thread from the last one back, until the destroy cannot happen without them. */
static void consider_thread(struct scan *s, ev_id destroy, const ev_id *list, uint32_t len)
{
    const struct model *m = s->p->m;
    for (uint32_t i = len; i-- > 0;) {
        ev_id use = list[i], end = m->ev[use].kind == EV_ACQUIRE ? m->link[use] : NONE;
        if (!is_use(m->ev[use].kind) || is_made_anew(m, destroy, use))
            continue;
        if (!must_precede(s->p, use, destroy))
            consider(s, destroy, use);
        else if (end != NONE && !must_precede(s->p, end, destroy))
            consider(s, destroy, end);
        else
            return;
    }
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++) {
        if (m->ev[e].kind != EV_DESTROY)
            continue;
        const ev_id *list = m->sync_events + m->sync_first[m->obj[e]];
        uint32_t len = m->sync_first[m->obj[e] + 1] - m->sync_first[m->obj[e]];
        for (thr_id t = 0; t < s->p->k; t++) {
            uint32_t from = list_before(m, list, len, t, 0);
            uint32_t to = list_before(m, list, len, t + 1, 0);
            if (t != m->ev[e].thr)
                consider_thread(s, e, list + from, to - from);
        }
    }
}

const struct pattern pattern_use_after_destroy = {
    .id = PATTERN_USE_AFTER_DESTROY,
    .scan = scan,
};
