// SPDX-License-Identifier: Apache-2.0
// A queue with words of its own for its lock and its wait: `if` where a loop is meant.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int jobs[2];
    int count;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0};

static void queue_lock(struct queue *q)
{
    if (pthread_mutex_lock(&q->mutex) != 0)
        abort();
}

static void queue_unlock(struct queue *q)
{
    pthread_mutex_unlock(&q->mutex);
}

static void queue_wait(struct queue *q)
{
    pthread_cond_wait(&q->changed, &q->mutex);
}

static void put(struct queue *q, int job)
{
    queue_lock(q);
    q->jobs[q->count++] = job;
    pthread_cond_broadcast(&q->changed);
    queue_unlock(q);
}

static int take(struct queue *q)
{
    queue_lock(q);
    if (q->count == 0)
        queue_wait(q);
    if (q->count == 0)
        abort();
    int job = q->jobs[--q->count];
    queue_unlock(q);
    return job;
}

static void *work(void *arg)
{
    *(int *)arg = take(&queue);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int got[2] = {0};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &got[i]);
    for (int i = 0; i < 2; i++)
        put(&queue, i + 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return got[0] + got[1] == 3 ? 0 : 1;
}
