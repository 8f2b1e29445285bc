/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern-use-after-destroy: a sync object is destroyed before another thread's last use of
 * it, or while that thread holds it. */
#include "predict/engine.h"

static void scan(struct scan *s)
{
    const struct model *m = s->p->m;
    for (ev_id e = 0; e < m->ev_count && !scan_stops(s); e++)
        if (m->ev[e].kind == EV_DESTROY)
            uses_behind(s, &(struct ending){.end = e, .sync = m->obj[e]});
}

const struct pattern pattern_use_after_destroy = {
    .id = PATTERN_USE_AFTER_DESTROY,
    .scan = scan,
};
