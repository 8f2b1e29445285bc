// SPDX-License-Identifier: Apache-2.0
// A value with the highest it ever was.
#ifndef GAUGE_H
#define GAUGE_H

#include <pthread.h>

struct gauge {
    pthread_mutex_t lock;
    int value, peak;
};

void gauge_init(struct gauge *g, int value);
void gauge_change(struct gauge *g, int by);
int gauge_peak(struct gauge *g);

#endif
