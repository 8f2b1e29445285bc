// SPDX-License-Identifier: Apache-2.0
// Who stops the worker waits for its end with the lock that the worker needs for that.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int stop, beats;

static void *work(void *p)
{
    (void)p;
    pthread_mutex_lock(&lock);
    while (!stop) {
        beats++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        if (!stop && beats > 3)
            pthread_cond_wait(&wake, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_signal(&wake);
    if (beats > 0)
        pthread_join(t, NULL);
    pthread_mutex_unlock(&lock);
    if (beats == 0)
        pthread_join(t, NULL);
    printf("%d\n", stop);
    return 0;
}
