// SPDX-License-Identifier: Apache-2.0
// An event loop that runs tasks which other threads post.
#ifndef LOOP_H
#define LOOP_H

#include <pthread.h>
#include <stdatomic.h>

typedef void (*task_fn)(void *data);

struct task {
    struct task *next;
    task_fn run;
    void *data;
};

struct loop {
    int wake_fd;
    atomic_int pending; /* the eventfd has been written to */
    pthread_mutex_t lock;
    struct task *first, **last;
    int quit;
};

int loop_init(struct loop *l);
void loop_post(struct loop *l, struct task *t);
void loop_run(struct loop *l);
void loop_quit(void *data); /* a task: its data is the loop */
void loop_close(struct loop *l);

#endif
