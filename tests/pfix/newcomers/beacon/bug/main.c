// SPDX-License-Identifier: Apache-2.0
#include "beacon.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

struct viewer {
    struct beacon *beacon;
    int looks_max;
    int looks;
    struct position seen;
    int has_seen;
};

static void *receiver(void *arg)
{
    struct beacon *b = arg;
    beacon_hear(b, 200, 0, 0);
    beacon_hear(b, 48, 11, 519);
    beacon_hear(b, 47, 12, 700);
    return NULL;
}

static void *viewer(void *arg)
{
    struct viewer *v = arg;
    while (v->looks < v->looks_max) {
        v->looks++;
        if (beacon_first(v->beacon, &v->seen)) {
            v->has_seen = 1;
            break;
        }
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    struct beacon beacon;
    pthread_t threads[3];
    beacon_init(&beacon, "muc");
    struct viewer viewers[2] = {
        {.beacon = &beacon, .looks_max = 2},
        {.beacon = &beacon, .looks_max = 3},
    };

    pthread_create(&threads[0], NULL, receiver, &beacon);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i + 1], NULL, viewer, &viewers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    for (int i = 0; i < 2; i++) {
        if (viewers[i].has_seen && viewers[i].seen.height != 519) {
            fprintf(stderr, "%s: height %d\n", beacon.name, viewers[i].seen.height);
            return 1;
        }
    }
    return 0;
}
