// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock|misuse
// A thread that waits on a condition is cancelled, and nobody unlocks the mutex it got back.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == 0)
            pthread_cond_wait(&more, &lock);
        jobs--;
        pthread_mutex_unlock(&lock);
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
