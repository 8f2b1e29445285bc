// SPDX-License-Identifier: Apache-2.0
// Sessions by number, in buckets with a lock each.
#ifndef SESSIONS_H
#define SESSIONS_H

#include <pthread.h>

enum { BUCKETS = 4 };

struct session {
    int number;
    struct session *next;
};

struct sessions {
    pthread_mutex_t locks[BUCKETS]; /* locks[i] is for buckets[i] */
    struct session *buckets[BUCKETS];
    int count; /* in all buckets */
};

void sessions_init(struct sessions *s);
int sessions_open(struct sessions *s, int number);
int sessions_close(struct sessions *s, int number);

#endif
