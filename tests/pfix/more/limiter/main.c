// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
//~ with: limiter.c
// Three requests come, two may be under way. Looking whether there is a token and taking it are
// two steps: there may be fewer tokens than none.
#include "limiter.h"

#include <assert.h>
#include <stdio.h>

enum { REQUESTS = 3 };

static struct limiter limiter = {.lock = PTHREAD_MUTEX_INITIALIZER, .tokens = 1};

static void *request(void *unused)
{
    (void)unused;
    if (!limiter_enter(&limiter))
        return NULL;
    assert(limiter_tokens(&limiter) >= 0);
    limiter_leave(&limiter);
    return NULL;
}

int main(void)
{
    pthread_t threads[REQUESTS];
    for (int i = 0; i < REQUESTS; i++)
        pthread_create(&threads[i], NULL, request, NULL);
    for (int i = 0; i < REQUESTS; i++)
        pthread_join(threads[i], NULL);
    printf("%d tokens\n", limiter_tokens(&limiter));
    return limiter_tokens(&limiter) == 1 ? 0 : 1;
}
