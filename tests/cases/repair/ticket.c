// SPDX-License-Identifier: Apache-2.0
// Every ticket has its own number; numbers come in blocks.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { BLOCK = 2, TICKETS = 3, THREADS = 2 };

static uint32_t ticket_next(void)
{
    static uint32_t next = 0;
    static uint32_t left = 0;

    if (left == 0) {
        next = (next / 100 + 1) * 100;
        left = BLOCK;
    }
    left--;
    return next++;
}

struct seller {
    uint32_t sold[TICKETS];
};

static void *sell(void *arg)
{
    struct seller *s = arg;
    for (int i = 0; i < TICKETS; i++)
        s->sold[i] = ticket_next();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct seller sellers[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, sell, &sellers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < TICKETS; i++)
        for (int j = 0; j < TICKETS; j++)
            assert(sellers[0].sold[i] != sellers[1].sold[j]);
    return 0;
}
