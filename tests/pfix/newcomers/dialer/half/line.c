// SPDX-License-Identifier: Apache-2.0
#include "line.h"

void line_init(struct line *l, int number)
{
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    l->state = LINE_DOWN;
    l->attempts = 0;
    l->number = number;
}

void line_destroy(struct line *l)
{
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->mutex);
}

static int try_once(struct line *l, int answers_at)
{
    LINE_LOCK(l);
    int attempt = ++l->attempts;
    LINE_UNLOCK(l);
    return attempt >= answers_at;
}

static void set_state(struct line *l, enum line_state state)
{
    l->state = state;
    pthread_cond_broadcast(&l->changed);
}

void line_dial(struct line *l, int answers_at)
{
    set_state(l, LINE_DIALING);
    for (int i = 0; i < 3; i++) {
        if (try_once(l, answers_at)) {
            set_state(l, LINE_UP);
            return;
        }
    }
    set_state(l, LINE_FAILED);
}

int line_wait(struct line *l)
{
    int result = -1;
    LINE_LOCK(l);
    while (l->state != LINE_UP && l->state != LINE_FAILED)
        pthread_cond_wait(&l->changed, &l->mutex);
    if (l->state == LINE_UP)
        result = 0;
    LINE_UNLOCK(l);
    return result;
}

int line_attempts(struct line *l)
{
    LINE_LOCK(l);
    int n = l->attempts;
    LINE_UNLOCK(l);
    return n;
}
