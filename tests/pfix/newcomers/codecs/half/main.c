// SPDX-License-Identifier: Apache-2.0
#include "codec.h"
#include "modules.h"

#include <pthread.h>
#include <stdio.h>

static int round_trip(const struct codec *c, int x)
{
    if (!c)
        return 0;
    return c->decode(c->encode(x)) != x;
}

static void *user(void *arg)
{
    int *wrong = arg;
    *wrong += round_trip(codec_best(), 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int places[2] = {-1, -1};
    int wrong = 0;

    pthread_create(&threads[0], NULL, load_rot, &places[0]);
    pthread_create(&threads[1], NULL, load_xor, &places[1]);
    pthread_create(&threads[2], NULL, user, &wrong);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    wrong += round_trip(codec_find("rot"), 7);
    wrong += round_trip(codec_find("xor"), 7);
    if (wrong || codec_count() != 2 || places[0] == places[1]) {
        fprintf(stderr, "%d wrong, %d codecs at %d and %d\n", wrong, codec_count(), places[0],
                places[1]);
        return 1;
    }
    return 0;
}
