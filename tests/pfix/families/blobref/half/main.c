// SPDX-License-Identifier: Apache-2.0
// Broadcasts blobs to some senders; each lets go of a blob once it has been sent.
#include "blob.h"

#include <pthread.h>
#include <stdio.h>

enum { SENDERS = 2, BLOBS = 2 };

struct sender {
    pthread_t thread;
    struct blob *outbox[BLOBS];
    size_t sent;
};

static void *sender_main(void *arg)
{
    struct sender *s = arg;
    for (int i = 0; i < BLOBS; i++) {
        s->sent += s->outbox[i]->size;
        blob_put(s->outbox[i]);
    }
    return NULL;
}

int main(void)
{
    static const char *const texts[BLOBS] = {"hello", "goodbye"};
    struct sender senders[SENDERS] = {0};
    size_t want = 0;

    for (int i = 0; i < BLOBS; i++) {
        struct blob *b = blob_new(texts[i]);
        want += b->size;
        for (int k = 0; k < SENDERS; k++)
            senders[k].outbox[i] = blob_get(b);
        blob_put(b);
    }
    for (int k = 0; k < SENDERS; k++)
        pthread_create(&senders[k].thread, NULL, sender_main, &senders[k]);
    for (int k = 0; k < SENDERS; k++)
        pthread_join(senders[k].thread, NULL);
    for (int k = 0; k < SENDERS; k++) {
        if (senders[k].sent != want) {
            fprintf(stderr, "sender %d: %zu bytes of %zu\n", k, senders[k].sent, want);
            return 1;
        }
    }
    if (blob_freed() != blob_made()) {
        fprintf(stderr, "%d blobs made, %d freed\n", blob_made(), blob_freed());
        return 1;
    }
    return 0;
}
