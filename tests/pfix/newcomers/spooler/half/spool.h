// SPDX-License-Identifier: Apache-2.0
#ifndef SPOOL_H
#define SPOOL_H

#include <pthread.h>
#include <stdbool.h>

enum job_state {
    JOB_QUEUED,
    JOB_PRINTING,
    JOB_DONE,
};

struct job {
    int id;
    int pages;
    enum job_state state;
    struct job *next;
};

struct spool {
    pthread_mutex_t mutex;
    struct job *head;
    struct job *tail;
    int queued;
    int next_id;
    int pages_printed;
};

void spool_init(struct spool *s);
void spool_destroy(struct spool *s);
void spool_lock(struct spool *s);
void spool_unlock(struct spool *s);

/* Queues a job; an express job goes before all others. Returns its id, or -1. */
int spool_submit(struct spool *s, int pages, bool express);

/* Takes the next job and prints it; false if there is none. */
bool spool_print_one(struct spool *s);

#endif
