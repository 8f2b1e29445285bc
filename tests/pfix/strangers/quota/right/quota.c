// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdio.h>

struct quota {
    pthread_mutex_t lock;
    long used, limit;
    int refused;
};

static struct quota quota = {PTHREAD_MUTEX_INITIALIZER, 0, 10, 0};

static void quota_enter(struct quota *q)
{
    pthread_mutex_lock(&q->lock);
}

static void quota_leave(struct quota *q)
{
    pthread_mutex_unlock(&q->lock);
}

static int quota_take(struct quota *q, long amount)
{
    quota_enter(q);
    if (q->used + amount > q->limit) {
        q->refused++;
        quota_leave(q);
        return -1;
    }
    q->used += amount;
    quota_leave(q);
    return 0;
}

static void quota_give(struct quota *q, long amount)
{
    quota_enter(q);
    q->used -= amount;
    quota_leave(q);
}

static void *user(void *arg)
{
    long amount = *(long *)arg;
    if (quota_take(&quota, amount) == 0)
        quota_give(&quota, amount);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    long amounts[2] = {6, 7};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (quota.used != 0) {
        fprintf(stderr, "%ld used\n", quota.used);
        return 1;
    }
    return 0;
}
