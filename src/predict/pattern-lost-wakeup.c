/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-lost-wakeup: all that could wake a thread comes before it waits, and it waits for
 * ever. What could: of each other thread the last signal that does not itself need the wait to
 * have ended. What comes behind that one never happens, because it would need this thread.
 *
 * Off the recorded path somebody may signal again: only a replay can tell. */
#include "predict/engine.h"

#include <stdlib.h>

enum { WAITS_MAX = 64 }; /* of the same site and condition */

static bool is_signal(const struct model *m, ev_id e)
{
    return m->ev[e].kind == EV_SIGNAL || m->ev[e].kind == EV_BROADCAST;
}

/* Of a thread's events at the condition, the last signal that can come before the wait. */
static ev_id last_signal(const struct predictor *p, ev_id enter, const ev_id *list,
                         uint32_t len)
{
    for (uint32_t i = len; i-- > 0;)
        if (is_signal(p->m, list[i]) && !must_precede(p, enter, list[i]))
            return list[i];
    return NONE;
}

static int by_place(const void *left, const void *right)
{
    ev_id a = *(const ev_id *)left, b = *(const ev_id *)right;
    return (a > b) - (a < b);
}

static void consider(struct scan *s, const struct wait *w)
{
    const struct predictor *p = s->p;
    const struct model *m = p->m;
    const ev_id *list = m->sync_events + m->sync_first[w->cond];
    uint32_t len = m->sync_first[w->cond + 1] - m->sync_first[w->cond];
    ev_id e[QUERY_MAX];
    struct predicted x = {.query = {.kind = QUERY_ORDER}};
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t from = list_before(m, list, len, t, 0);
        uint32_t to = list_before(m, list, len, t + 1, 0);
        ev_id last =
            t == m->ev[w->enter].thr ? NONE : last_signal(p, w->enter, list + from, to - from);
        if (last == NONE)
            continue;
        if (x.query.count == QUERY_MAX - 1)
            return;
        e[x.query.count++] = last;
    }
    if (x.query.count == 0)
        return;
    qsort(e, x.query.count, sizeof *e, by_place);
    e[x.query.count++] = w->enter;
    scan_ask(s, &x, e, sites_key(p, e, x.query.count));
}

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    struct map seen = {0};
    for (uint32_t i = 0; i < m->wait_count && !scan_stops(s); i++) {
        const struct wait *w = &m->waits[i];
        if (w->notify == NONE || (m->ev[w->enter].detail & FLAG(TIMED)) ||
            intent_ignores(s->intent, w->enter))
            continue;
        uint64_t key = (uint64_t)model_site(m, w->enter) << 32 | w->cond;
        uint32_t *count = map_at(&seen, key);
        *count = *count == NONE ? 1 : *count + 1;
        if (*count <= WAITS_MAX)
            consider(s, w);
        else
            s->skipped++;
    }
    map_done(&seen);
}

const struct pattern pattern_lost_wakeup = {
    .id = PATTERN_LOST_WAKEUP,
    .scan = scan,
};
