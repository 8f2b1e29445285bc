// SPDX-License-Identifier: Apache-2.0
// Count and sum go together; the lock is taken by macros, once for each of them.
#include <pthread.h>

#define METRIC_LOCK(m) pthread_mutex_lock(&(m)->mu)
#define METRIC_UNLOCK(m) pthread_mutex_unlock(&(m)->mu)

struct metric {
    pthread_mutex_t mu;
    long count, sum;
};

static struct metric reads = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
static int is_off;

static void metric_note(struct metric *m, long us)
{
    METRIC_LOCK(m);
    m->count++;
    METRIC_UNLOCK(m);
    METRIC_LOCK(m);
    m->sum += us;
    METRIC_UNLOCK(m);
}

static long metric_mean(struct metric *m)
{
    METRIC_LOCK(m);
    long mean = m->count ? m->sum / m->count : 0;
    METRIC_UNLOCK(m);
    return mean;
}

static void *work(void *unused)
{
    (void)unused;
    metric_note(&reads, 6);
    metric_note(&reads, 6);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    long mean = metric_mean(&reads);
    is_off = mean != 0 && mean != 6;
    pthread_join(t, NULL);
    return is_off;
}
