// SPDX-License-Identifier: Apache-2.0
#ifndef LINE_H
#define LINE_H

#include <pthread.h>
#include <stddef.h>

enum line_state {
    LINE_DOWN,
    LINE_DIALING,
    LINE_UP,
    LINE_FAILED,
};

struct line {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum line_state state;
    int attempts;
    int number;
};

#define LINE_LOCK(l) pthread_mutex_lock(&(l)->mutex)
#define LINE_UNLOCK(l) pthread_mutex_unlock(&(l)->mutex)

void line_init(struct line *l, int number);
void line_destroy(struct line *l);

/* Called by the thread that dials. */
void line_dial(struct line *l, int answers_at);

/* Waits until the line is up (0) or has failed (-1). */
int line_wait(struct line *l);

int line_attempts(struct line *l);

#endif
