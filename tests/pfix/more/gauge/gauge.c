// SPDX-License-Identifier: Apache-2.0
#include "gauge.h"

#include <string.h>

void gauge_init(struct gauge *g, int value)
{
    memset(g, 0, sizeof *g);
    g->value = value;
    g->peak = value;
}

void gauge_change(struct gauge *g, int by)
{
    g->value += by;
    if (g->value > g->peak)
        g->peak = g->value;
}

int gauge_peak(const struct gauge *g)
{
    return g->peak;
}
