// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A pool of threads with a queue, a lock and a condition.
#include <pthread.h>
#include <stdio.h>

static int queue[4], count, stopping, sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&m);
        while (count == 0 && !stopping)
            pthread_cond_wait(&more, &m);
        if (count == 0) {
            pthread_mutex_unlock(&m);
            return NULL;
        }
        int job = queue[--count];
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        sum += job;
        pthread_mutex_unlock(&m);
    }
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 1; i <= 4; i++) {
        pthread_mutex_lock(&m);
        queue[count++] = i;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    stopping = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return 0;
}
