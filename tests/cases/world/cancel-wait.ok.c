// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread that waits on a condition is cancelled; its cleanup handler unlocks the mutex.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs;

static void unlock(void *m)
{
    pthread_mutex_unlock(m);
}

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_cleanup_push(unlock, &lock);
        while (jobs == 0)
            pthread_cond_wait(&more, &lock);
        jobs--;
        pthread_cleanup_pop(1);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    jobs = 2;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    pthread_cancel(t);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock);
    int left = jobs;
    pthread_mutex_unlock(&lock);
    return left > 2;
}
