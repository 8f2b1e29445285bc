// SPDX-License-Identifier: Apache-2.0
// A bounded queue of job numbers with the usual two conditions. The q_ functions wrap the
// thread library, so that the queue itself is portable.
#include <pthread.h>
#include <stdio.h>

#define Q_CAPACITY 1
#define JOBS_PER_CLIENT 2
#define CLIENTS 2

typedef struct {
    pthread_mutex_t mu;
    pthread_cond_t changed;
    int jobs[Q_CAPACITY];
    int count;
    int rd, wr;
} queue_t;

static void q_lock(queue_t *q)
{
    pthread_mutex_lock(&q->mu);
}

static void q_unlock(queue_t *q)
{
    pthread_mutex_unlock(&q->mu);
}

static void q_wait(queue_t *q)
{
    pthread_cond_wait(&q->changed, &q->mu);
}

static void q_wake(queue_t *q)
{
    pthread_cond_broadcast(&q->changed);
}

static void q_init(queue_t *q)
{
    pthread_mutex_init(&q->mu, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->count = q->rd = q->wr = 0;
}

static void q_push(queue_t *q, int job)
{
    q_lock(q);
    while (q->count == Q_CAPACITY)
        q_wait(q);
    q->jobs[q->wr] = job;
    q->wr = (q->wr + 1) % Q_CAPACITY;
    q->count++;
    q_wake(q);
    q_unlock(q);
}

static int q_pop(queue_t *q)
{
    int job;

    q_lock(q);
    while (q->count == 0)
        q_wait(q);
    job = q->jobs[q->rd];
    q->jobs[q->rd] = 0;
    q->rd = (q->rd + 1) % Q_CAPACITY;
    q->count--;
    q_wake(q);
    q_unlock(q);
    return job;
}

static queue_t queue;
static int done[CLIENTS];

static void *client(void *arg)
{
    int first = *(int *)arg;

    for (int i = 0; i < JOBS_PER_CLIENT; i++)
        q_push(&queue, first + i);
    return NULL;
}

static void *worker(void *arg)
{
    int *sum = arg;

    for (int i = 0; i < JOBS_PER_CLIENT; i++)
        *sum += q_pop(&queue);
    return NULL;
}

int main(void)
{
    pthread_t clients[CLIENTS], workers[CLIENTS];
    int first[CLIENTS] = {1, 11};

    q_init(&queue);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_create(&clients[i], NULL, client, &first[i]);
        pthread_create(&workers[i], NULL, worker, &done[i]);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i], NULL);
        pthread_join(workers[i], NULL);
    }
    if (queue.count != 0 || done[0] + done[1] != 1 + 2 + 11 + 12) {
        fprintf(stderr, "jobs worth %d were done, %d are left\n", done[0] + done[1],
                queue.count);
        return 1;
    }
    return 0;
}
