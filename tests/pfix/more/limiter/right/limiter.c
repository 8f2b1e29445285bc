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
    pthread_mutex_lock(&l->lock);
    bool free_token = l->tokens > 0;
    if (free_token)
        l->tokens--;
    else
        l->refused++;
    pthread_mutex_unlock(&l->lock);
    return free_token;
}

void limiter_leave(struct limiter *l)
{
    change(l, 1);
}
