// SPDX-License-Identifier: Apache-2.0
#ifndef PUMP_H
#define PUMP_H

#include <pthread.h>

#define PUMP_LINES 4

struct pump {
    pthread_mutex_t mtx;
    int line[PUMP_LINES]; /* lengths; 0: empty, below 0: broken */
    int n_line;
    int bytes, skipped;
};

#define PUMP_ENTER(p) pthread_mutex_lock(&(p)->mtx)
#define PUMP_LEAVE(p) pthread_mutex_unlock(&(p)->mtx)

void pump_init(struct pump *p);
int pump_add(struct pump *p, int length);
int pump_drain(struct pump *p, int most);

#endif
