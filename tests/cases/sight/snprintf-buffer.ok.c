// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each worker formats its state into a buffer of its own.
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
    snprintf(w->line, sizeof w->line, "worker %d: %d jobs", w->id, w->done); //~ here
    return w->line;
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
    memcpy(status, all[1].line, sizeof status);
    return strncmp(status, "worker", 6) != 0;
}
