// SPDX-License-Identifier: Apache-2.0
#include "line.h"

#include <stdio.h>
#include <stdlib.h>

struct call {
    struct line line;
    int answers_at;
    int result;
};

static void *dial(void *arg)
{
    struct call *c = arg;
    line_dial(&c->line, c->answers_at);
    return NULL;
}

static void *talk(void *arg)
{
    struct call *c = arg;
    c->result = line_wait(&c->line);
    return NULL;
}

int main(void)
{
    struct call *calls = calloc(2, sizeof *calls);
    pthread_t dialers[2], talkers[2];
    if (!calls)
        return 2;

    for (int i = 0; i < 2; i++) {
        line_init(&calls[i].line, 100 + i);
        calls[i].answers_at = i == 0 ? 2 : 9;
        pthread_create(&talkers[i], NULL, talk, &calls[i]);
        pthread_create(&dialers[i], NULL, dial, &calls[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(dialers[i], NULL);
        pthread_join(talkers[i], NULL);
    }

    int wrong = calls[0].result != 0 || calls[1].result != -1;
    if (line_attempts(&calls[0].line) != 2 || line_attempts(&calls[1].line) != 3)
        wrong = 1;
    if (wrong)
        fprintf(stderr, "results %d %d\n", calls[0].result, calls[1].result);
    for (int i = 0; i < 2; i++)
        line_destroy(&calls[i].line);
    free(calls);
    return wrong;
}
