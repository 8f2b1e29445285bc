// SPDX-License-Identifier: Apache-2.0
// A pool of workers that run jobs from a list.
#ifndef POOL_H
#define POOL_H

#include <pthread.h>

enum { POOL_WORKERS = 3 };

typedef void (*job_fn)(void *argument);

struct job {
    job_fn run;
    void *argument;
    struct job *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first, *last;
    int stopping;
    unsigned finished; /* jobs */
    pthread_t workers[POOL_WORKERS];
};

int pool_init(struct pool *p);
int pool_add(struct pool *p, job_fn run, void *argument);
unsigned pool_finished(struct pool *p);
/* Waits until every job was run. */
void pool_done(struct pool *p);

#endif
