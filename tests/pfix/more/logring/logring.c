// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
//~ with: ring.c
// Somebody writes into the ring while somebody else reads the newest message. The slot is taken
// under the lock, and filled when the lock is gone: what is read may be half a message.
#include "ring.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 3 };

static struct ring ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *writer(void *unused)
{
    (void)unused;
    for (int i = 0; i < MESSAGES; i++)
        ring_log(&ring, i % 2 ? "disk full" : "ok");
    return NULL;
}

static void *reader(void *unused)
{
    char text[RING_TEXT];
    (void)unused;
    for (int i = 0; i < MESSAGES; i++) {
        int length = ring_newest(&ring, text);
        if (length < 0)
            continue;
        assert(length > 0 && (int)strlen(text) == length);
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    printf("%u messages\n", ring.head);
    return 0;
}
