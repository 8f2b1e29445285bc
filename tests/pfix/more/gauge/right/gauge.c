// SPDX-License-Identifier: Apache-2.0
#include "gauge.h"

#include <string.h>

void gauge_init(struct gauge *g, int value)
{
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    g->value = value;
    g->peak = value;
}

void gauge_change(struct gauge *g, int by)
{
    pthread_mutex_lock(&g->lock);
    g->value += by;
    if (g->value > g->peak)
        g->peak = g->value;
    pthread_mutex_unlock(&g->lock);
}

int gauge_peak(struct gauge *g)
{
    pthread_mutex_lock(&g->lock);
    int peak = g->peak;
    pthread_mutex_unlock(&g->lock);
    return peak;
}
