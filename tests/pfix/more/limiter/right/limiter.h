// SPDX-License-Identifier: Apache-2.0
// So many requests may be under way at a time.
#ifndef LIMITER_H
#define LIMITER_H

#include <pthread.h>
#include <stdbool.h>

struct limiter {
    pthread_mutex_t lock;
    int tokens;
    int refused;
};

bool limiter_enter(struct limiter *l);
void limiter_leave(struct limiter *l);
int limiter_tokens(struct limiter *l);

#endif
