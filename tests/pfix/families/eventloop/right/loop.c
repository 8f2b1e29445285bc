// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int loop_init(struct loop *l)
{
    l->wake_fd = eventfd(0, 0);
    if (l->wake_fd < 0)
        return -1;
    atomic_init(&l->pending, 0);
    pthread_mutex_init(&l->lock, NULL);
    l->first = NULL;
    l->last = &l->first;
    l->quit = 0;
    return 0;
}

static void loop_wake(struct loop *l)
{
    uint64_t one = 1;
    while (write(l->wake_fd, &one, sizeof one) < 0)
        continue;
}

void loop_post(struct loop *l, struct task *t)
{
    t->next = NULL;
    pthread_mutex_lock(&l->lock);
    *l->last = t;
    l->last = &t->next;
    pthread_mutex_unlock(&l->lock);
    if (!atomic_exchange(&l->pending, 1))
        loop_wake(l);
}

static struct task *loop_grab(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    struct task *t = l->first;
    l->first = NULL;
    l->last = &l->first;
    pthread_mutex_unlock(&l->lock);
    return t;
}

static void loop_drain(struct loop *l)
{
    struct task *t = loop_grab(l);
    while (t) {
        struct task *next = t->next;
        t->run(t->data);
        t = next;
    }
}

void loop_run(struct loop *l)
{
    uint64_t count;

    while (!l->quit) {
        if (read(l->wake_fd, &count, sizeof count) < 0)
            continue;
        atomic_store(&l->pending, 0);
        loop_drain(l);
    }
}

void loop_quit(void *data)
{
    struct loop *l = data;
    l->quit = 1;
}

void loop_close(struct loop *l)
{
    close(l->wake_fd);
    pthread_mutex_destroy(&l->lock);
}
