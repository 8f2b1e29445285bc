// SPDX-License-Identifier: Apache-2.0
#ifndef GAUGE_H
#define GAUGE_H

#include <pthread.h>

struct gauge {
    pthread_mutex_t m;
    int low, high;
};

#define G_LOCK(g) (void)pthread_mutex_lock(&(g)->m)
#define G_UNLOCK(g) (void)pthread_mutex_unlock(&(g)->m)

void gauge_set(struct gauge *g, int low, int high);
int gauge_low(struct gauge *g);
int gauge_high(struct gauge *g);
int gauge_span(struct gauge *g);

#endif
