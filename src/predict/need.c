/* SPDX-License-Identifier: Apache-2.0
 *
 * need: growing the cut of the query under way, and what it says about lock sections. */
#include "predict/engine.h"

bool within_limits(const struct predictor *p)
{
    for (thr_id t = 0; t < p->k; t++)
        if (p->now[t] > p->limit[t])
            return false;
    return true;
}

bool need_events(struct predictor *p, thr_id t, uint32_t n)
{
    CHECK(t < p->k && n <= p->m->threads[t].len);
    prefix_join(&p->prefix, t, n, false, p->now);
    CHECK(p->now[t] >= n);
    return within_limits(p);
}

bool cut_need(struct predictor *p, ev_id e)
{
    CHECK(e < p->m->ev_count);
    return need_events(p, thread_of(p, e), p->m->idx[e] + 1);
}

bool is_stuck(const struct predictor *p, ev_id acquire)
{
    CHECK(p->m->ev[acquire].kind == EV_ACQUIRE);
    ev_id release = p->m->link[acquire];
    return release == NONE || p->m->idx[release] >= p->limit[thread_of(p, acquire)];
}

/* The latest acquire of the same lock by another thread in the cut, or NONE. */
ev_id latest_rival(const struct predictor *p, ev_id acquire)
{
    ev_id latest = NONE;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id a =
            t == thread_of(p, acquire) ? NONE : last_rival(p, acquire, t, 0, len_of(p, t));
        if (a != NONE && (latest == NONE || a > latest))
            latest = a;
    }
    return latest;
}

bool has_rival(const struct predictor *p, ev_id acquire)
{
    return latest_rival(p, acquire) != NONE;
}
