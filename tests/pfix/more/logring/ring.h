// SPDX-License-Identifier: Apache-2.0
// The last messages of a program, in a ring.
#ifndef RING_H
#define RING_H

#include <pthread.h>

enum { RING_SLOTS = 4, RING_TEXT = 24 };

struct slot {
    int length;
    char text[RING_TEXT];
};

struct ring {
    pthread_mutex_t lock;
    unsigned head; /* messages so far */
    struct slot slots[RING_SLOTS];
};

void ring_log(struct ring *r, const char *text);
/* Copies the newest message; its length, or -1 if there is none. */
int ring_newest(struct ring *r, char *out);

#endif
