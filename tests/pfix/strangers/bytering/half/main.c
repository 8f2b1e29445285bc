// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <stdio.h>

static struct ring ring = {.lock = PTHREAD_MUTEX_INITIALIZER,
                           .filled = PTHREAD_COND_INITIALIZER};

static void *writer(void *arg)
{
    int *sent = arg;
    for (unsigned char byte = 1; byte <= 2; byte++)
        if (ring_write(&ring, byte) == 0)
            *sent += byte;
    return NULL;
}

int main(void)
{
    int sent[2] = {0, 0}, got = 0;
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writer, &sent[i]);
    got += ring_read(&ring);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (RING_USED(&ring) > 0)
        got += ring_read(&ring);
    if (got != sent[0] + sent[1]) {
        fprintf(stderr, "sent %d, got %d\n", sent[0] + sent[1], got);
        return 1;
    }
    return 0;
}
