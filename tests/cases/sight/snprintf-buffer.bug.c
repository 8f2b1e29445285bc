// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two workers format their state into one buffer that a static pointer hands out.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct worker {
    int id, done;
    char line[64];
};

static char status[64];

static const char *describe(struct worker *w)
{
    snprintf(status, sizeof status, "worker %d: %d jobs", w->id, w->done); //~ here
    return status;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 3; i++)
        w->done++;
    describe(w);
    return NULL;
}

int main(void)
{
    struct worker all[2] = {{.id = 1}, {.id = 2}};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &all[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return strncmp(status, "worker", 6) != 0;
}
