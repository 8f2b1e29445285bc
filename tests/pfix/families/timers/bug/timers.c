// SPDX-License-Identifier: Apache-2.0
// Timers: a list, a clock that is moved by hand, callbacks without the lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*timer_cb)(void *);

struct timer {
    struct timer *next;
    int due;
    int fired;
    timer_cb cb;
    void *data;
};

struct timers {
    pthread_mutex_t lock;
    struct timer *head;
    int now;
};

static struct timers wheel = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
static int live;

static struct timer *timers_add(struct timers *ts, int due, timer_cb cb, void *data)
{
    struct timer *t = calloc(1, sizeof *t);
    if (t == NULL)
        abort();
    t->due = due;
    t->cb = cb;
    t->data = data;
    pthread_mutex_lock(&ts->lock);
    t->next = ts->head;
    ts->head = t;
    live++;
    pthread_mutex_unlock(&ts->lock);
    return t;
}

static int unlink_timer(struct timers *ts, struct timer *t)
{
    struct timer **p = &ts->head;
    while (*p && *p != t)
        p = &(*p)->next;
    if (*p == NULL)
        return 0;
    *p = t->next;
    return 1;
}

static void timer_free(struct timer *t)
{
    t->next = NULL;
    t->cb = NULL;
    live--;
    free(t);
}

/* False if it has been fired, or is about to be. */
static int timers_cancel(struct timers *ts, struct timer *t)
{
    int removed;
    pthread_mutex_lock(&ts->lock);
    removed = unlink_timer(ts, t);
    if (removed)
        timer_free(t);
    pthread_mutex_unlock(&ts->lock);
    return removed;
}

/* Moves the clock, and calls back whoever is due. Fired timers go away. */
static void timers_fire(struct timers *ts, int now)
{
    pthread_mutex_lock(&ts->lock);
    ts->now = now;
    struct timer *next;
    for (struct timer *t = ts->head; t; t = next) {
        next = t->next;
        if (t->due > now)
            continue;
        unlink_timer(ts, t);
        pthread_mutex_unlock(&ts->lock);
        t->cb(t->data);
        pthread_mutex_lock(&ts->lock);
        timer_free(t);
    }
    pthread_mutex_unlock(&ts->lock);
}

static void count(void *data)
{
    ++*(int *)data;
}

static void *canceller(void *arg)
{
    static int cancelled;
    cancelled = timers_cancel(&wheel, arg);
    return &cancelled;
}

int main(void)
{
    int calls[3] = {0, 0, 0};
    void *cancelled;
    pthread_t thread;

    timers_add(&wheel, 2, count, &calls[0]);
    struct timer *middle = timers_add(&wheel, 1, count, &calls[1]);
    timers_add(&wheel, 1, count, &calls[2]);
    pthread_create(&thread, NULL, canceller, middle);
    timers_fire(&wheel, 1);
    timers_fire(&wheel, 2);
    pthread_join(thread, &cancelled);
    if (calls[0] != 1 || calls[2] != 1 || calls[1] + *(int *)cancelled != 1 || live != 0) {
        fprintf(stderr, "calls %d %d %d, cancelled %d, %d live\n", calls[0], calls[1], calls[2],
                *(int *)cancelled, live);
        return 1;
    }
    return 0;
}
