// SPDX-License-Identifier: Apache-2.0
// A value with the highest it ever was.
#ifndef GAUGE_H
#define GAUGE_H

struct gauge {
    int value, peak;
};

void gauge_init(struct gauge *g, int value);
void gauge_change(struct gauge *g, int by);
int gauge_peak(const struct gauge *g);

#endif
