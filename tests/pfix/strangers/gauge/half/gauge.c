// SPDX-License-Identifier: Apache-2.0
#include "gauge.h"

void gauge_set(struct gauge *g, int low, int high)
{
    G_LOCK(g);
    g->low = low;
    g->high = high;
    G_UNLOCK(g);
}

int gauge_low(struct gauge *g)
{
    G_LOCK(g);
    int low = g->low;
    G_UNLOCK(g);
    return low;
}

int gauge_high(struct gauge *g)
{
    G_LOCK(g);
    int high = g->high;
    G_UNLOCK(g);
    return high;
}

int gauge_span(struct gauge *g)
{
    int high = gauge_high(g);
    int low = gauge_low(g);

    return high - low;
}
