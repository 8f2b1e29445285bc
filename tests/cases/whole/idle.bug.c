// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock
// A join that waits for who waits for a signal that is sent only if there is work.
#include <pthread.h>
#include <stdio.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_cv = PTHREAD_COND_INITIALIZER;
static int jobs, done_jobs;
static bool stopping;
static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    for (;;) {
        while (jobs == 0 && !stopping)
            pthread_cond_wait(&work_cv, &m);
        if (jobs == 0)
            break;
        jobs--;
        done_jobs++;
    }
    pthread_mutex_unlock(&m);
    return NULL;
}
static void submit(int n)
{
    pthread_mutex_lock(&m);
    jobs += n;
    pthread_cond_signal(&work_cv);
    pthread_mutex_unlock(&m);
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    submit(2);
    submit(1);
    pthread_mutex_lock(&m);
    stopping = true;
    bool idle = jobs == 0;
    if (!idle)
        pthread_cond_signal(&work_cv);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    printf("done %d\n", done_jobs);
    return 0;
}
