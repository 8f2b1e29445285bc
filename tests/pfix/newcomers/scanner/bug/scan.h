// SPDX-License-Identifier: Apache-2.0
#ifndef SCAN_H
#define SCAN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define WORKERS 2

struct scan {
    const int *data;
    size_t len;
    int wanted;
    pthread_mutex_t lock;
    pthread_cond_t progress;
    int hits;
    int finished;
    atomic_int stop;
    size_t next;
    pthread_t workers[WORKERS];
};

struct scan *scan_new(const int *data, size_t len, int wanted);
void scan_free(struct scan *s);
int scan_start(struct scan *s);
void scan_join(struct scan *s);

/* Says whether the value is there; comes back as soon as that is known. */
int scan_contains(const int *data, size_t len, int wanted);

#endif
