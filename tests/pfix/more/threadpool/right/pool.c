// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <stdlib.h>

static struct job *pool_take(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (!p->first && !p->stopping)
        pthread_cond_wait(&p->changed, &p->lock);
    struct job *j = p->first;
    if (j) {
        p->first = j->next;
        if (!p->first)
            p->last = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    return j;
}

static void *worker_main(void *argument)
{
    struct pool *p = argument;
    struct job *j;
    while ((j = pool_take(p))) {
        j->run(j->argument);
        free(j);
        pthread_mutex_lock(&p->lock);
        p->finished++;
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

int pool_init(struct pool *p)
{
    p->first = p->last = NULL;
    p->stopping = 0;
    p->finished = 0;
    if (pthread_mutex_init(&p->lock, NULL) || pthread_cond_init(&p->changed, NULL))
        return -1;
    for (int i = 0; i < POOL_WORKERS; i++)
        if (pthread_create(&p->workers[i], NULL, worker_main, p))
            return -1;
    return 0;
}

int pool_add(struct pool *p, job_fn run, void *argument)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return -1;
    *j = (struct job){run, argument, NULL};
    pthread_mutex_lock(&p->lock);
    if (p->last)
        p->last->next = j;
    else
        p->first = j;
    p->last = j;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

unsigned pool_finished(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    unsigned finished = p->finished;
    pthread_mutex_unlock(&p->lock);
    return finished;
}

void pool_done(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopping = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < POOL_WORKERS; i++)
        pthread_join(p->workers[i], NULL);
}
