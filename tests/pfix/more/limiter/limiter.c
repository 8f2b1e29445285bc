// SPDX-License-Identifier: Apache-2.0
#include "limiter.h"

int limiter_tokens(struct limiter *l)
{
    pthread_mutex_lock(&l->lock);
    int tokens = l->tokens;
    pthread_mutex_unlock(&l->lock);
    return tokens;
}

static void change(struct limiter *l, int by)
{
    pthread_mutex_lock(&l->lock);
    l->tokens += by;
    pthread_mutex_unlock(&l->lock);
}

bool limiter_enter(struct limiter *l)
{
    if (limiter_tokens(l) == 0) {
        pthread_mutex_lock(&l->lock);
        l->refused++;
        pthread_mutex_unlock(&l->lock);
        return false;
    }
    change(l, -1);
    return true;
}

void limiter_leave(struct limiter *l)
{
    change(l, 1);
}
